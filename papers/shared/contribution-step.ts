import type { IdleRule, SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { singleRelease } from '@hushrec/factorize';
import type { CoinSource, PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import {
  flooredCounts,
  frequentItems,
  type People,
  weightedCountSensitivity,
  weightedCounts,
} from '@hushrec/statistics';
import { sampledCounts } from './statistics/offset-and-counts.js';
import type { Weighting } from './statistics/weighting.js';

/** Settings about whose ratings count how much. Shared by all methods that sum over people. */
export const contributionSettings = {
  contribution: {
    type: 'choice',
    default: 'adaptive',
    choices: ['adaptive', 'uniform', 'tail'],
    description:
      'How a person’s influence is bounded: all ratings with weights that favour rare items (adaptive), at most contributionLimit at random (uniform), or the rarest ones (tail).',
  },
  contributionLimit: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 1_000_000,
    description:
      'Ratings a person may contribute (uniform, tail), or for which ratings count fully (adaptive); also the sample for counts.',
  },
  weightExponent: {
    type: 'number',
    default: 0.25,
    min: 0,
    max: 2,
    description: 'p of the adaptive weights: released count to the power −p. 0 spends evenly.',
  },
  itemFraction: {
    type: 'number',
    default: 1,
    min: 0.001,
    max: 1,
    description: 'Share of items, by released count, that get vectors; people’s own average serves the rest.',
  },
  counts: {
    type: 'choice',
    default: 'weighted',
    choices: ['weighted', 'sampled'],
    description:
      'Released popularity: everyone’s ratings with weight 1/√n (weighted), or of a sample of contributionLimit.',
  },
  countShare: {
    type: 'number',
    default: 0.05,
    min: 0.0001,
    max: 0.9,
    description: 'Share of the budget (μ²) for item counts, where they are needed.',
  },
} as const satisfies SettingsSchema;

type ContributionSettings = SettingsOf<typeof contributionSettings> & { readonly itemRidgeExponent?: number };

/** Whether these settings look at popularity at all. */
function needsCounts(settings: ContributionSettings): boolean {
  return (
    settings.contribution === 'tail' ||
    (settings.contribution === 'adaptive' && settings.weightExponent > 0) ||
    settings.itemFraction < 1 ||
    (settings.itemRidgeExponent ?? 0) !== 0
  );
}

/** Which of them count. */
export function idleContributions(
  settings: ContributionSettings,
): readonly IdleRule<keyof typeof contributionSettings>[] {
  return [
    [settings.contribution !== 'adaptive', 'contribution=adaptive', 'weightExponent'],
    [
      !needsCounts(settings),
      'something that looks at counts (contribution=tail, weightExponent or itemRidgeExponent above 0, itemFraction below 1)',
      'counts',
      'countShare',
    ],
  ];
}

/** Share of the budget and plan line of the counts; none where they are not needed. */
export function planCounts(settings: ContributionSettings): readonly PlannedRelease[] {
  if (!needsCounts(settings)) return [];
  const sensitivity =
    settings.counts === 'weighted' ? weightedCountSensitivity : Math.sqrt(settings.contributionLimit);
  return [singleRelease('item-counts', settings.countShare, sensitivity)];
}

/**
 * β: bound on the sum of squared weights of one person. The papers scale weights so that
 * β = contributionLimit; adaptive weights are kept at β = 1 here, where they fit the grid of the sums, and
 * what is added to the sums is scaled instead.
 */
export function weightBudget(settings: ContributionSettings): number {
  return settings.contribution === 'adaptive' ? 1 : settings.contributionLimit;
}

/** √(β here / β of the papers): multiplies ridges and other terms given in the papers' scale. */
export function weightScale(settings: ContributionSettings): number {
  return Math.sqrt(weightBudget(settings) / settings.contributionLimit);
}

/** Setting about the unit of what is added to released sums. */
export const sumUnitSettings = {
  relativeTo: {
    type: 'choice',
    default: 'ratings',
    choices: ['ratings', 'noise'],
    description:
      'Unit of item ridges and public weights: one fully counted rating, or the noise of the last round per unit of influence (then the best values depend on people × budget alone).',
  },
} as const satisfies SettingsSchema;

/**
 * Factor from the unit of `relativeTo` to released sums. `noise`: σ_b/(Γ_u·Γ_y) of the last round's item
 * vectors, which is public. Without noise there is no such unit and ratings are meant.
 */
export function sumScale(
  settings: ContributionSettings & {
    readonly relativeTo: string;
    readonly clipNorm: number;
    readonly targetBound: number;
  },
  recorder: ReleaseRecorder,
  vectorRelease: string,
): number {
  const noise = recorder.plan.releases.find(({ name }) => name === vectorRelease)?.noise ?? 0;
  return settings.relativeTo === 'noise' && noise > 0
    ? noise / (settings.clipNorm * settings.targetBound)
    : weightScale(settings);
}

export interface PreparedContributions {
  /** What people are told about whose ratings count how much. */
  readonly weighting: Weighting;
  /** Released counts, floored at their noise; absent where no counts were released. */
  readonly counts?: Float64Array;
  /** 1 for items that get vectors; absent when all do. */
  readonly frequent?: Uint8Array;
}

/**
 * Releases item counts where they are needed, then settles which ratings contribute and with what weight: a
 * function of each person's own set, own coins and released counts, hence free.
 */
export async function prepareContributions(
  people: People,
  settings: ContributionSettings,
  recorder: ReleaseRecorder,
  coins: CoinSource,
  signal?: AbortSignal,
): Promise<PreparedContributions> {
  let counts: Float64Array | undefined;
  let frequent: Uint8Array | undefined;
  const { contribution: kind, contributionLimit: limit } = settings;
  if (needsCounts(settings)) {
    const sums =
      settings.counts === 'weighted'
        ? await people.sum(weightedCounts, null, signal)
        : await people.sum(sampledCounts, { limit, coins: coins.line('item-counts', 0) }, signal);
    const release = recorder.begin('item-counts');
    const noisy = await release.add(0, sums.counts.statistic, sums.counts.gridStep);
    release.close();
    counts = flooredCounts(noisy, release.noise);
    if (settings.itemFraction < 1) frequent = frequentItems(noisy, settings.itemFraction);
  }
  return {
    weighting: {
      kind,
      limit,
      exponent: settings.weightExponent,
      budget: weightBudget(settings),
      ...(counts && { counts }),
      ...(frequent && { frequent }),
      ...(kind === 'uniform' && { coins: coins.line('contributions', 0) }),
    },
    ...(counts && { counts }),
    ...(frequent && { frequent }),
  };
}
