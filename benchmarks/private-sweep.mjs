import { createEngine, packedLength, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { calibrate, createRecorder, sensitive } from '@hushrec/privacy';
import { clipRows, clipTargets, itemBlocks, matrixSensitivity, vectorSensitivity } from '@hushrec/statistics';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/** MovieLens-10M: people, items, and about four fifths of its ratings. */
const shape = { users: 69_878, items: 10_677, ratings: 8_000_000, seed: 10 };
const d = 64;

/**
 * One whole sweep of private alternating least squares (Chien et al. 2021, Algorithm 1): user step, clipping,
 * exact item sums, noise through the recorder that training uses, projection and solve. Each part is timed.
 * The noise is the real one, of a real budget.
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
    let into;
    const grid = { vectorBits: 15, targetBits: 15 };
    const step = bounds.vector * 2 ** -grid.vectorBits;
    const inPlace = { overwrite: true };
    const job = { byItem, rootWeights, users: users.rows, targets: clipped.values, matrices: true, ...grid };
    const jobBounds = { vectorBound: users.bound, targetBound: clipped.bound };
    for (const { part, begin, end } of itemBlocks(shape.items, d)) {
      const sums = await timed('exact item sums', () =>
        engine.itemStatistics({ ...job, ...jobBounds, begin, end, ...(into && { into }) }),
      );
      into = sums;
      const noisy = await timed('noise', async () => ({
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
  const plain = await plainItemStep(engine, byItem, people, rootWeights, items);
  const draws = shape.items * (packedLength(d) + d);
  const gridAdds = best.processor['exact item sums'] - plain.sums;
  const shares = Object.fromEntries(
    Object.entries({ processor: best.processor, wall: best.wall }).map(([clock, used]) => {
      // The plain step is measured in processor time; on the wall it would take as much less as the exact
      // sums do.
      const scale = used['exact item sums'] / best.processor['exact item sums'];
      const solve = plain.solve * scale;
      const extras =
        used['clip people and targets'] + used.noise + used['PSD and solve'] + Math.max(0, gridAdds * scale);
      return [clock, { strict: extras / sum(used), beyondPlain: (extras - solve) / sum(used) }];
    }),
  );
  const total = sum(best.processor);
  printTable(
    `Private sweep, ${shape.users} users, ${shape.items} items, ${rows.indices.length} ratings, d = ${d}, ${engine.description}; least of 3`,
    [
      ...parts.map((part) => [part, best.wall[part], best.processor[part]]),
      ['whole sweep', sum(best.wall), total],
    ].map(([part, seen, own]) => ({
      part,
      'seconds on the wall': seen / 1000,
      'share of the wall': `${((100 * seen) / sum(best.wall)).toFixed(0)} %`,
      'processor seconds': own / 1000,
      'share of processor time': `${((100 * own) / total).toFixed(0)} %`,
    })),
  );
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  console.log(
    [
      `Noise: ${draws} discrete Gaussian draws, ${(draws / best.processor.noise / 1000).toFixed(1)} million per processor second.`,
      `The same items without privacy: float32 sums ${(plain.sums / 1000).toFixed(2)} processor seconds, Cholesky solve ${(plain.solve / 1000).toFixed(2)}.`,
      `The grid adds ${(gridAdds / 1000).toFixed(2)} processor seconds to the sums (below 0: exact integer sums are faster than float32 ones).`,
      `Private extras (what the grid adds, clipping, noise, the whole of PSD and solve): ${percent(shares.processor.strict)} of processor time, ${percent(shares.wall.strict)} of the wall; without the solve that plain training needs too, ${percent(shares.processor.beyondPlain)} and ${percent(shares.wall.beyondPlain)}.`,
    ].join('\n'),
  );
  await engine.close();
  return { ...best, draws, plain, gridAdds, shares, engine: engine.description };
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
