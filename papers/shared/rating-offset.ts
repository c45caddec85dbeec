import type { IdleRule, SettingsSchema } from '@hushrec/factorize';
import { singleRelease } from '@hushrec/factorize';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import { type GridSums, type People, peopleCount } from '@hushrec/statistics';
import { ownMeanSum } from './statistics/offset-and-counts.js';

/** Settings about the number that is taken off every rating. */
export const offsetSettings = {
  centring: {
    type: 'choice',
    default: 'constant',
    choices: ['constant', 'private-mean'],
    description:
      'Take off the declared constant `offset` (costs nothing), or a released mean of people’s means.',
  },
  offset: {
    type: 'number',
    default: 0,
    min: -1e6,
    max: 1e6,
    description: 'The declared constant; by default the middle of the declared rating scale.',
  },
  meanShare: {
    type: 'number',
    default: 0.01,
    min: 1e-6,
    max: 0.5,
    description: 'Share of the budget for the released mean, where it is used.',
  },
} as const satisfies SettingsSchema;

interface OffsetSettings {
  readonly feedback: string;
  readonly centring: string;
  readonly offset: number;
  readonly meanShare: number;
}

/** Which of them count: choices are not centred. */
export function idleOffset(
  { centring }: OffsetSettings,
  implicit: boolean,
): readonly IdleRule<keyof typeof offsetSettings>[] {
  return [
    [implicit, 'feedback=explicit (choices have no mean)', 'centring', 'offset', 'meanShare'],
    [centring === 'constant', 'centring=private-mean', 'meanShare'],
    [centring === 'private-mean', 'centring=constant', 'offset'],
  ];
}

const halfRange = (scale: RatingScale) => Math.max((scale.max - scale.min) / 2, 0.5);
const middle = (scale: RatingScale) => (scale.min + scale.max) / 2;

/**
 * Lines for the mean: Σ of clipped own means (sensitivity half the scale) and the number of people (1).
 * Choices have none.
 */
export function planOffset(settings: OffsetSettings, scale: RatingScale): readonly PlannedRelease[] {
  if (settings.centring === 'constant' || settings.feedback === 'implicit') return [];
  return [
    singleRelease('own-mean-sum', settings.meanShare / 2, halfRange(scale)),
    singleRelease('people-count', settings.meanShare / 2, 1),
  ];
}

/** The constant, or middle + (released sum of own means)/(released number of people), kept on the scale. */
export async function ratingOffset(
  people: People,
  settings: OffsetSettings,
  recorder: ReleaseRecorder,
  signal?: AbortSignal,
): Promise<number> {
  const { scale } = people;
  if (settings.centring === 'constant') return settings.offset;
  const release = async (name: string, { statistic, gridStep }: GridSums) => {
    const open = recorder.begin(name);
    const [value] = await open.add(0, statistic, gridStep);
    open.close();
    return value;
  };
  const question = { middle: middle(scale), halfRange: halfRange(scale) };
  const means = await people.sum(ownMeanSum, question, signal);
  const sum = await release('own-mean-sum', means.sum);
  const population = await release('people-count', (await people.sum(peopleCount, null, signal)).count);
  const mean = middle(scale) + sum / Math.max(population, 1);
  return Math.max(scale.min, Math.min(scale.max, mean));
}
