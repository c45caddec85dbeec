import { once } from '@hushrec/evaluate';
import { SeededRandom } from '@hushrec/ratings';
import type { ExperimentContext } from '../../harness/experiment.js';
import { simulateParties } from '../parties/simulate.js';
import {
  type LeaveOneOutTask,
  profileScores,
  type RankingQuality,
  rankingQuality,
} from './leave-one-out-rank.js';
import type { DpimfData, Variant } from './published-tables.js';

/**
 * What the paper leaves open, or gives with values that do not reproduce its tables; see `chooseSettings`.
 */
export interface SessionSettings {
  /** λ. */
  readonly ridge: number;
  /**
   * β₁ and β₃: shares of a pass for the linear coefficients and for the counts (complementary and symmetric).
   */
  readonly linearShare: number;
  readonly countShare: number;
}

/** One run of the printed protocol. */
export interface Session extends SessionSettings {
  readonly task: LeaveOneOutTask;
  readonly data: DpimfData;
  readonly variant: Variant;
  /** Claimed for each pass. */
  readonly epsilon: number;
  readonly shared: 'user' | 'item';
  readonly seed: number;
  readonly importanceSampling?: boolean;
  /** `tablePasses` unless given. */
  readonly passes?: Passes;
}

/** Rounds of the federation, and passes of each party in a round. */
export interface Passes {
  readonly rounds: number;
  readonly local: number;
}

/** d of the paper. */
export const rankOf: Readonly<Record<DpimfData, number>> = {
  'ml-100k': 20,
  'yahoo-music': 16,
  'amazon-instant-video': 8,
};
/** α₀ of the paper. */
export const unobservedWeight = 0.8;
const parties = 10;
/**
 * The paper has 100 rounds of 20 local passes. Every pass keeps nothing of the last but its profiles, and the
 * more there are the worse they get: see `dpimf/passes`.
 */
export const tablePasses: Passes = { rounds: 3, local: 1 };
export const paperPasses: Passes = { rounds: 100, local: 20 };

/** How runs of the printed protocol were made, in words. */
export const protocol = `Protocol: ${parties} parties and α₀ = ${unobservedWeight} as in the paper; ${tablePasses.rounds} rounds of ${tablePasses.local} local pass where the paper has ${paperPasses.rounds} of ${paperPasses.local} (dpimf/passes says what more do); λ and β chosen on each person’s last interaction but one; ε as claimed for each pass; the last interaction ranked among 99 others without interaction.`;

/**
 * One run of the printed protocol with `shared` profiles exchanged, ε being what the paper claims for each
 * pass. Ten parties and α₀ = 0.8 as there; three rounds of one local pass unless the session says otherwise.
 */
export async function printedSession(session: Session): Promise<RankingQuality> {
  const { users, items } = await printedProfiles(session);
  return rankingQuality(session.task, profileScores(users, items, rankOf[session.data]));
}

/** The profiles that such a run ends with. */
export async function printedProfiles(
  session: Session,
): Promise<{ readonly users: Float64Array; readonly items: Float64Array }> {
  const { task, shared, epsilon, seed, variant, ridge, linearShare, countShare } = session;
  const { rounds, local } = session.passes ?? tablePasses;
  // Sessions in one process never leave the turn of the event loop, in which no interruption could be seen.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const random = new SeededRandom(seed);
  return simulateParties(
    task.train,
    parties,
    {
      shared,
      rounds,
      localRounds: local,
      epsilon,
      settings: {
        variant,
        rank: rankOf[session.data],
        ridge,
        linearShare,
        countShare,
        unobservedWeight,
        importanceSampling: session.importanceSampling ?? false,
        repaired: false,
      },
      contribution: 'profiles',
    },
    seed,
    () => random.uniform(),
  );
}

/** `printedSession`, or its outcome from a run that was finished before. */
export function keptSession(
  { store }: Pick<ExperimentContext, 'store'>,
  session: Session,
): Promise<RankingQuality> {
  const { task, data, variant, epsilon, ...options } = session;
  const key = { experiment: 'dpimf session 2', data, heldOut: task.heldOut, variant, epsilon, ...options };
  return once(store, key, () => printedSession(session));
}
