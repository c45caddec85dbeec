import { createEngine, packedLength, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { calibrate, createRecorder } from '@hushrec/privacy';
import {
  clipRows,
  clipTargets,
  itemStatistics,
  matrixSensitivity,
  vectorSensitivity,
} from '@hushrec/statistics';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/** MovieLens-10M: people, items, and about four fifths of its ratings. */
const shape = { users: 69_878, items: 10_677, ratings: 8_000_000, seed: 10 };
const d = 64;
const ITEM_BLOCK = 512;

/**
 * One whole sweep of private alternating least squares (Chien et al. 2021, Algorithm 1): user step, clipping, exact item sums, noise through
 * the recorder that training uses, projection and solve. Each part is timed. The noise is the real one, of a real budget.
 */
export async function benchmarkSweep({ threads } = {}) {
  const rows = syntheticRatings(shape);
  const byItem = transpose(rows);
  const engine = await createEngine(threads === undefined ? {} : { threads });
  const items = randomFactors(shape.items, d, 1 / Math.sqrt(d), uniform(1));
  const people = zeroFactors(shape.users, d);
  const rootWeights = new Float32Array(new SharedArrayBuffer(4 * byItem.indices.length));
  const counts = new Uint32Array(shape.users);
  for (const user of byItem.indices) counts[user]++;
  // Σ_j w_ij² ≤ 1 for each person: w = 1/√(ratings of the person), so √w = (ratings)^(−1/4).
  for (let k = 0; k < rootWeights.length; k++) rootWeights[k] = 0.999999 * counts[byItem.indices[k]] ** -0.25;
  const bounds = { vector: 1, target: 1 };
  const plan = calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'item vectors',
      releases: [
        {
          name: 'matrices',
          mechanism: { kind: 'gaussian' },
          sensitivity: matrixSensitivity(1, bounds.vector),
          count: 1,
          share: 0.5,
        },
        {
          name: 'vectors',
          mechanism: { kind: 'gaussian' },
          sensitivity: vectorSensitivity(1, bounds.vector, bounds.target),
          count: 1,
          share: 0.5,
        },
      ],
    },
    { epsilon: 1, delta: 1e-6 },
  );
  const parts = ['user step', 'clip people and targets', 'exact item sums', 'noise', 'PSD and solve'];
  const zero = () => Object.fromEntries(parts.map((part) => [part, 0]));
  let wall = zero();
  let processor = zero();
  const timed = async (part, work) => {
    const started = performance.now();
    const used = processorTime();
    const result = await work();
    wall[part] += performance.now() - started;
    processor[part] += processorTime() - used;
    return result;
  };
  const sum = (times) => Object.values(times).reduce((total, each) => total + each, 0);
  let best;
  for (let sweep = 0; sweep < 3; sweep++) {
    wall = zero();
    processor = zero();
    const recorder = createRecorder(plan, {
      identity: 'benchmark',
      job: String(sweep),
      ...(engine.pool && { threads: engine.pool }),
    });
    const matrices = recorder.begin('matrices');
    const vectors = recorder.begin('vectors');
    const centred = rows.values.map((value) => (value - 2.75) / 2.25);
    const targets = byItem.values.map((value) => (value - 2.75) / 2.25);
    await timed('user step', () =>
      engine.solveRows({ rows, fixed: items, targets: centred, ridge: 5, out: people }),
    );
    const users = await timed('clip people and targets', () => clipRows(people, bounds.vector));
    const clipped = await timed('clip people and targets', () => clipTargets(targets, bounds.target));
    const input = { engine, contributions: { byItem, rootWeights, budget: 1 }, users, targets: clipped };
    for (let begin = 0, part = 0; begin < shape.items; begin += ITEM_BLOCK, part++) {
      const end = Math.min(begin + ITEM_BLOCK, shape.items);
      const sums = await timed('exact item sums', () => itemStatistics(input, begin, end));
      const noisy = await timed('noise', async () => ({
        matrices: await matrices.add(part, sums.matrices.statistic, sums.matrices.gridStep, {
          kind: 'symmetric',
          width: d,
        }),
        vectors: await vectors.add(part, sums.vectors.statistic, sums.vectors.gridStep),
      }));
      const ridge = new Float64Array(end - begin).fill(10);
      await timed('PSD and solve', () =>
        engine.solvePsd({ width: d, count: end - begin, ...noisy, ridge, out: items, begin }),
      );
    }
    matrices.close();
    vectors.close();
    recorder.finish();
    if (best === undefined || sum(processor) < sum(best.processor)) best = { wall, processor };
  }
  const plainSolve = await plainSolveTime(engine, byItem, people, items);
  const draws = shape.items * (packedLength(d) + d);
  const total = sum(best.processor);
  const { processor: used } = best;
  const projection = used['PSD and solve'] - plainSolve;
  const extras = used['clip people and targets'] + used.noise + projection;
  const strictly = extras + plainSolve;
  printTable(
    `Private sweep, ${shape.users} users, ${shape.items} items, ${rows.indices.length} ratings, d = ${d}, ${engine.description}; least of 3`,
    [...parts.map((part) => [part, best.wall[part], used[part]]), ['whole sweep', sum(best.wall), total]].map(
      ([part, seen, own]) => ({
        part,
        'seconds on the wall': seen / 1000,
        'processor seconds': own / 1000,
        'share of processor time': `${((100 * own) / total).toFixed(0)} %`,
      }),
    ),
  );
  console.log(
    `Noise: ${draws} discrete Gaussian draws, ${(draws / used.noise / 1000).toFixed(1)} million per processor second.\nA plain solve of the same items takes ${(plainSolve / 1000).toFixed(2)} processor seconds. Private extras (clipping, noise, projection beyond the plain solve): ${((100 * extras) / total).toFixed(1)} % of the sweep; with the whole of PSD and solve ${((100 * strictly) / total).toFixed(1)} %.`,
  );
  await engine.close();
  return {
    ...best,
    draws,
    plainSolve,
    extrasShare: extras / total,
    strictShare: strictly / total,
    engine: engine.description,
  };
}

/** Processor time of solving all items by Cholesky without noise and projection, as training without privacy would. */
async function plainSolveTime(engine, byItem, users, out) {
  const grid = { vectorBound: 1, targetBound: 5, vectorBits: 15, targetBits: 15, matrices: true };
  let used = 0;
  for (let begin = 0; begin < byItem.rowCount; begin += ITEM_BLOCK) {
    const end = Math.min(begin + ITEM_BLOCK, byItem.rowCount);
    const sums = await engine.itemStatistics({ byItem, users, ...grid, begin, end });
    const ridge = new Float64Array(end - begin).fill(2 ** 30);
    const before = processorTime();
    await engine.solvePsd({ width: d, count: end - begin, ...sums, ridge, project: false, out, begin });
    used += processorTime() - before;
  }
  return used;
}
