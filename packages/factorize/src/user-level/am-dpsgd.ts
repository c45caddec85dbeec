import type { Method, TrainingInput } from '../method.js';
import type { SettingsOf, SettingsSchema } from '../settings.js';
import type { Side } from '../shared/solve-side.js';
import { suggestDescent } from './am-ssp-settings.js';
import { descentSettings, planDescent, startDescent } from './gradient-descent.js';
import { encodedKinds } from './item-encoder.js';
import { solveUsers } from './user-step.js';

const schema = {
  ...descentSettings,
  rounds: {
    type: 'integer',
    default: 8,
    min: 1,
    max: 10_000,
    description: 'Outer rounds: people solve, then items step.',
  },
  stepsPerRound: {
    type: 'integer',
    default: 3,
    min: 1,
    max: 100_000,
    description: 'Noised gradient steps per round.',
  },
} as const satisfies SettingsSchema;

type AmDpsgdSettings = SettingsOf<typeof schema>;

/**
 * Alternating minimization with noised gradients, Krichene et al. 2024, Algorithm 6: people solve their own vectors exactly, item parameters
 * move by DP-SGD. What AM-SSP is compared with.
 *
 * Unit: user, add or remove. Corrections: clipping per person, Poisson sampling with secret coins, and the cost of all rounds.
 */
export const amDpsgd: Method<typeof schema> = {
  id: 'am-dpsgd',
  title: 'Alternating minimization with private gradients',
  paper: 'Krichene et al. 2024, Algorithm 6 (corrected)',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  settings: schema,
  clips: ['gradientBound'],
  learnsFrom: encodedKinds,
  suggest: suggestDescent,
  plan(given, shape) {
    const settings = given as AmDpsgdSettings;
    return planDescent(settings, shape, settings.rounds * settings.stepsPerRound, settings.rounds);
  },
  async train(input) {
    const typed = input as TrainingInput<AmDpsgdSettings>;
    const { settings, progress, signal } = typed;
    const { rounds, stepsPerRound } = settings;
    const descent = await startDescent(typed);
    let people: Side | undefined;
    for (let round = 0; round < rounds; round++) {
      people = await solveUsers(descent.userStep, descent.items, people); // UserUpdate: local, exact
      await descent.refreshGramian(people);
      for (let step = 0; step < stepsPerRound; step++) {
        signal?.throwIfAborted();
        progress?.({ stage: 'steps', done: round * stepsPerRound + step, total: rounds * stepsPerRound });
        await descent.step(people); // θ ← θ − η ĝ
      }
    }
    progress?.({ stage: 'steps', done: rounds * stepsPerRound, total: rounds * stepsPerRound });
    return descent.model();
  },
};
