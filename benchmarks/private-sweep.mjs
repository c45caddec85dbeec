import { createEngine, packedLength, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { calibrate, createRecorder, sensitive } from '@hushrec/privacy';
import { clipRows } from '../papers/dist/shared/statistics/clip-rows.js';
import { clipTargets } from '../papers/dist/shared/statistics/clip-targets.js';
import {
  itemBlocks,
  matrixSensitivity,
  vectorSensitivity,
} from '../papers/dist/shared/statistics/item-sum-bounds.js';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/** MovieLens-10M: people, items, and about four fifths of its ratings. */
const shape = { users: 69_878, items: 10_677, ratings: 8_000_000, seed: 10 };
const d = 64;

/** The largest vector of a person and the largest target: both are clipped to it. */
const bounds = { vector: 1, target: 1 };
/** Bits of the grids on which vectors and targets are summed. */
const grid = { vectorBits: 15, targetBits: 15 };
const parts = ['user step', 'clip people and targets', 'exact item sums', 'noise', 'PSD and solve'];

/**
 * One whole sweep of private alternating least squares (Chien et al. 2021, Algorithm 1): user step, clipping,
 * exact item sums, noise through the recorder that training uses, projection and solve. Each part is timed.
 * The noise is the real one, of a real budget.
 */
export async function benchmarkSweep({ threads } = {}) {
  const rows = syntheticRatings(shape);
  const byItem = transpose(rows);
  const engine = await createEngine(threads === undefined ? {} : { threads });
  const data = {
    rows,
    byItem,
    rootWeights: rootWeightsOf(byItem),
    items: randomFactors(shape.items, d, 1 / Math.sqrt(d), uniform(1)),
    people: zeroFactors(shape.users, d),
  };
  const plan = sweepPlan();
  let best;
  for (let sweep = 0; sweep < 3; sweep++) {
    const clocks = partClocks();
    await privateSweep(engine, plan, data, clocks.timed, String(sweep));
    if (best === undefined || sum(clocks.processor) < sum(best.processor)) best = clocks;
  }
  const { wall, processor } = best;
  const plain = await plainItemStep(engine, byItem, data.people, data.rootWeights, data.items);
  const draws = shape.items * (packedLength(d) + d);
  const gridAdds = processor['exact item sums'] - plain.sums;
  const shares = {
    processor: extrasOf(processor, processor, gridAdds, plain.solve),
    wall: extrasOf(wall, processor, gridAdds, plain.solve),
  };
  printParts({ wall, processor }, rows.indices.length, engine.description);
  printExtras({ processor, plain, draws, gridAdds, shares });
  await engine.close();
  return { wall, processor, draws, plain, gridAdds, shares, engine: engine.description };
}

/**
 * Root weights √w with Σ_j w_ij² ≤ 1 for each person: w = 1/√(ratings of the person), so
 * √w = (ratings)^(−1/4).
 */
function rootWeightsOf(byItem) {
  const counts = new Uint32Array(shape.users);
  for (const user of byItem.indices) counts[user]++;
  const roots = new Float32Array(new SharedArrayBuffer(4 * byItem.indices.length));
  for (let k = 0; k < roots.length; k++) roots[k] = 0.999999 * counts[byItem.indices[k]] ** -0.25;
  return roots;
}

/** Half of ε = 1 for the matrices of items, half for their vectors. */
function sweepPlan() {
  const release = (name, sensitivity) => ({
    name,
    mechanism: { kind: 'gaussian' },
    sensitivity,
    count: 1,
    share: 0.5,
  });
  return calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'item vectors',
      releases: [
        release('matrices', matrixSensitivity(1, bounds.vector)),
        release('vectors', vectorSensitivity(1, bounds.vector, bounds.target)),
      ],
    },
    { epsilon: 1, delta: 1e-6 },
  );
}

/** Milliseconds of each part, on the wall and of the processor, added up by `timed`. */
function partClocks() {
  const zero = () => Object.fromEntries(parts.map((part) => [part, 0]));
  const [wall, processor] = [zero(), zero()];
  const timed = async (part, work) => {
    const [started, used] = [performance.now(), processorTime()];
    const result = await work();
    wall[part] += performance.now() - started;
    processor[part] += processorTime() - used;
    return result;
  };
  return { wall, processor, timed };
}

async function privateSweep(engine, plan, { rows, byItem, rootWeights, items, people }, timed, job) {
  const recorder = createRecorder(plan, {
    identity: 'benchmark',
    job,
    ...(engine.pool && { threads: engine.pool }),
  });
  const releases = { matrices: recorder.begin('matrices'), vectors: recorder.begin('vectors') };
  const centred = rows.values.map((value) => (value - 2.75) / 2.25);
  const targets = byItem.values.map((value) => (value - 2.75) / 2.25);
  await timed('user step', () =>
    engine.solveRows({ rows, fixed: items, targets: centred, ridge: 5, out: people }),
  );
  const users = await timed('clip people and targets', () => clipRows(people, bounds.vector));
  const clipped = await timed('clip people and targets', () => clipTargets(targets, bounds.target));
  const asked = { byItem, rootWeights, users: users.rows, targets: clipped.values, matrices: true, ...grid };
  const clips = { vectorBound: users.bound, targetBound: clipped.bound };
  let into;
  for (const { part, begin, end } of itemBlocks(shape.items, d)) {
    const sums = await timed('exact item sums', () =>
      engine.itemStatistics({ ...asked, ...clips, begin, end, ...(into && { into }) }),
    );
    into = sums;
    const noisy = await timed('noise', () => withNoise(releases, part, sums));
    const ridge = new Float64Array(end - begin).fill(10);
    await timed('PSD and solve', () =>
      engine.solvePsd({ width: d, count: end - begin, ...noisy, ridge, out: items, begin }),
    );
  }
  releases.matrices.close();
  releases.vectors.close();
  recorder.finish();
}

async function withNoise({ matrices, vectors }, part, sums) {
  const step = bounds.vector * 2 ** -grid.vectorBits;
  const inPlace = { overwrite: true };
  return {
    matrices: await matrices.add(
      part,
      sensitive(sums.matrices, 'l2', matrixSensitivity(1, bounds.vector)),
      step ** 2,
      { kind: 'symmetric', width: d },
      inPlace,
    ),
    vectors: await vectors.add(
      part,
      sensitive(sums.vectors, 'l2', vectorSensitivity(1, bounds.vector, bounds.target)),
      step * bounds.target * 2 ** -grid.targetBits,
      { kind: 'vector' },
      inPlace,
    ),
  };
}

/**
 * Share of a sweep that privacy adds: clipping, noise, the whole of projection and solve, what the grid adds
 * to the sums; and the same without the solve that plain training needs too. The plain step is measured in
 * processor time; on the wall it would take as much less as the exact sums do.
 */
function extrasOf(used, processor, gridAdds, plainSolve) {
  const scale = used['exact item sums'] / processor['exact item sums'];
  const extras =
    used['clip people and targets'] + used.noise + used['PSD and solve'] + Math.max(0, gridAdds * scale);
  return { strict: extras / sum(used), beyondPlain: (extras - plainSolve * scale) / sum(used) };
}

function sum(times) {
  return Object.values(times).reduce((total, each) => total + each, 0);
}

function printParts({ wall, processor }, ratings, engine) {
  printTable(
    `Private sweep, ${shape.users} users, ${shape.items} items, ${ratings} ratings, d = ${d}, ${engine}; least of 3`,
    [
      ...parts.map((part) => [part, wall[part], processor[part]]),
      ['whole sweep', sum(wall), sum(processor)],
    ].map(([part, seen, own]) => ({
      part,
      'seconds on the wall': seen / 1000,
      'share of the wall': `${((100 * seen) / sum(wall)).toFixed(0)} %`,
      'processor seconds': own / 1000,
      'share of processor time': `${((100 * own) / sum(processor)).toFixed(0)} %`,
    })),
  );
}

function printExtras({ processor, plain, draws, gridAdds, shares }) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  console.log(
    [
      `Noise: ${draws} discrete Gaussian draws, ${(draws / processor.noise / 1000).toFixed(1)} million per processor second.`,
      `The same items without privacy: float32 sums ${(plain.sums / 1000).toFixed(2)} processor seconds, Cholesky solve ${(plain.solve / 1000).toFixed(2)}.`,
      `The grid adds ${(gridAdds / 1000).toFixed(2)} processor seconds to the sums (below 0: exact integer sums are faster than float32 ones).`,
      `Private extras (what the grid adds, clipping, noise, the whole of PSD and solve): ${percent(shares.processor.strict)} of processor time, ${percent(shares.wall.strict)} of the wall; without the solve that plain training needs too, ${percent(shares.processor.beyondPlain)} and ${percent(shares.wall.beyondPlain)}.`,
    ].join('\n'),
  );
}

/**
 * Processor time of the item step as training without privacy does it, weighted sums in float32 and Cholesky,
 * in two parts: the solve is timed in float64 on sums that are there already, which is a little more than the
 * float32 solve takes, so that the sums come out no larger than they are. Least of 3.
 */
async function plainItemStep(engine, byItem, users, rootWeights, out) {
  const weights = rootWeights.map((root) => root * root);
  let [step, solve] = [Infinity, Infinity];
  for (let round = 0; round < 3; round++) {
    const started = processorTime();
    await engine.solveRows({ rows: byItem, fixed: users, weights, ridge: 10, out });
    step = Math.min(step, processorTime() - started);
    solve = Math.min(solve, await plainSolveTime(engine, byItem, users, out));
  }
  return { sums: step - solve, solve };
}

/** Processor time of solving all items by Cholesky in float64, without noise and projection. */
async function plainSolveTime(engine, byItem, users, out) {
  const grid = { vectorBound: 1, targetBound: 5, vectorBits: 15, targetBits: 15, matrices: true };
  let used = 0;
  for (const { begin, end } of itemBlocks(byItem.rowCount, d)) {
    const sums = await engine.itemStatistics({ byItem, users, ...grid, begin, end });
    const ridge = new Float64Array(end - begin).fill(2 ** 30);
    const before = processorTime();
    await engine.solvePsd({ width: d, count: end - begin, ...sums, ridge, project: false, out, begin });
    used += processorTime() - before;
  }
  return used;
}
