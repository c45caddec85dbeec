import type { ExperimentContext } from '../../harness/experiment.js';
import { type LeaveOneOutTask, leaveOneOutTask } from './leave-one-out-rank.js';
import { keptSession, type SessionSettings } from './printed-session.js';
import type { DpimfData, Variant } from './published-tables.js';

/**
 * The paper's λ of 0.07 and 1 are among them; times the number of pairs they leave little but popularity even
 * without noise.
 */
const ridges = [0.0003, 0.001, 0.003, 0.01, 0.07, 1];
/** (β₁, β₃); the last pair is given with the paper's noise plots. */
const shares = [
  { linearShare: 0.3, countShare: 0.05 },
  { linearShare: 0.6, countShare: 0.05 },
  { linearShare: 0.8, countShare: 0.05 },
  { linearShare: 0.1, countShare: 0.1 },
];
/** In the middle of the range of the tables. */
const epsilon = 5;

type Context = Pick<ExperimentContext, 'seed' | 'store' | 'signal'>;

export interface Chosen<Settings> {
  readonly settings: Settings;
  /** HR@10 of the choice on the validation items. */
  readonly hitRate: number;
}

/**
 * λ by the optimal variant, one for all variants as in the paper; `chooseShares` then β by the two that have
 * it. Both by HR@10 among 99 candidates on each person's last interaction but one: the last one, on which
 * tables report, takes no part. Like every choice made on private data it would cost privacy of its own,
 * which is not in the stated ε.
 */
export function chooseRidge(
  context: Context,
  data: DpimfData,
  task: LeaveOneOutTask,
  shared: 'user' | 'item',
): Promise<Chosen<SessionSettings>> {
  const candidates = ridges.map((ridge) => ({ ...shares[0], ridge }));
  return bestOf(context, data, task, shared, ['optimal'], candidates);
}

export function chooseShares(
  context: Context,
  data: DpimfData,
  task: LeaveOneOutTask,
  shared: 'user' | 'item',
  ridge: number,
): Promise<Chosen<SessionSettings>> {
  const candidates = shares.map((each) => ({ ...each, ridge }));
  return bestOf(context, data, task, shared, ['complementary', 'symmetric'], candidates);
}

async function bestOf(
  context: Context,
  data: DpimfData,
  task: LeaveOneOutTask,
  shared: 'user' | 'item',
  variants: readonly Variant[],
  candidates: readonly SessionSettings[],
): Promise<Chosen<SessionSettings>> {
  const validation = leaveOneOutTask({ ...task, ratings: task.train }, context.seed);
  let best: Chosen<SessionSettings> | undefined;
  for (const settings of candidates) {
    let hitRate = 0;
    for (const variant of variants) {
      context.signal.throwIfAborted();
      const session = { task: validation, data, variant, epsilon, ...settings, shared, seed: context.seed };
      const { sampled } = await keptSession(context, session);
      hitRate += sampled.hitRate / variants.length;
    }
    if (best === undefined || hitRate > best.hitRate) best = { settings, hitRate };
  }
  if (best === undefined) throw new RangeError('There is nothing to choose from.');
  return best;
}
