import { executeRun, planRun } from '../../packages/factorize/dist/index.js';
import { peopleCoins, RunSecret } from '../../packages/privacy/dist/index.js';
import { added } from './cluster-cost.mjs';

export const rank = 32;
export const rounds = 2;

/** Trains, and adds up what every statistic cost. */
export async function trainMeasured(people, engine, measure) {
  const sums = new Map();
  let question;
  const watched = {
    itemCount: people.itemCount,
    scale: people.scale,
    async sum(statistic, published, ...rest) {
      if (statistic.id === 'taste') question = published;
      const { value, ...cost } = await measure(() => people.sum(statistic, published, ...rest));
      const before = sums.get(statistic.id) ?? { calls: 0, workers: 0, executors: 0, server: 0, wall: 0 };
      sums.set(statistic.id, { ...added(before, cost), calls: before.calls + 1 });
      return value;
    },
  };
  const secret = new RunSecret({ seed: 1 });
  const run = planRun({
    method: 'hush',
    settings: { rank, rounds },
    itemCount: people.itemCount,
    scale: people.scale,
    epsilon: 8,
    delta: 1e-6,
    seed: 1,
  });
  const { model } = await executeRun(run, {
    people: watched,
    features: [],
    engine,
    recorder: run.recorder,
    publicSeed: 1,
    coins: peopleCoins(secret),
  });
  return {
    sums,
    question,
    model: Buffer.from(model.itemFactors.buffer, model.itemFactors.byteOffset, model.itemFactors.byteLength),
  };
}
