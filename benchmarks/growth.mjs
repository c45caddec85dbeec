import { writeFileSync } from 'node:fs';
import { createEngine, randomFactors, transpose, zeroFactors } from '@hushrec/numerics';
import { growthChart } from './growth-chart.mjs';
import { byTurns, growthExponent, printTable } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

/**
 * One point, in one thread, processor time: the user step and the exact item sums, which read ratings, and
 * with `solve` the projection and solve, which depends on items and rank alone.
 */
async function sweepTime(engine, { users, items, ratings, d, solve }) {
  const rows = syntheticRatings({ users, items, ratings, seed: 5, spread: 0.1, most: 0.85 });
  const byItem = transpose(rows);
  const fixed = randomFactors(items, d, 1 / Math.sqrt(d), uniform(1));
  const people = zeroFactors(users, d);
  const out = zeroFactors(items, d);
  const grid = { vectorBound: 64, targetBound: 5, vectorBits: 15, targetBits: 15, matrices: true };
  const block = 1024;
  const sweep = async () => {
    await engine.solveRows({ rows, fixed, ridge: 1, out: people });
    for (let begin = 0; begin < items; begin += block) {
      const end = Math.min(items, begin + block);
      const sums = await engine.itemStatistics({ byItem, users: people, ...grid, begin, end });
      if (!solve) continue;
      // One indefinite direction, so that no item escapes the projection.
      for (let k = 0; k < sums.matrices.length; k += (d * (d + 1)) / 2) sums.matrices[k] -= 2 ** 45;
      const ridge = new Float64Array(end - begin).fill(2 ** 20);
      await engine.solvePsd({ width: d, count: end - begin, ...sums, ridge, out, begin });
    }
  };
  let { sweep: milliseconds } = await byTurns({ sweep }, 2);
  // Short runs are disturbed most: as many more as fit half a second.
  const more = Math.min(12, Math.floor(500 / milliseconds));
  if (more > 1) milliseconds = Math.min(milliseconds, (await byTurns({ sweep }, more)).sweep);
  return { ratings: rows.indices.length, milliseconds };
}

/**
 * Cost against users, items, ratings and rank, each over a range with the others fixed, and the exponents of
 * growth.
 */
export async function benchmarkGrowth({ folder }) {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const range = (from, steps) => Array.from({ length: steps }, (_, k) => from * 2 ** k);
  const d = 32;
  const axes = {
    'users (100 ratings each), d = 32': range(4000, 6).map((users) => ({
      x: users,
      users,
      items: 2000,
      ratings: 100 * users,
      d,
    })),
    'ratings (of 4,000 users, 150 to 4,800 each), d = 16': range(600_000, 6).map((ratings) => ({
      users: 4000,
      items: 6000,
      ratings,
      d: 16,
    })),
    'items (ratings fixed), d = 32, with projection and solve': range(500, 6).map((items) => ({
      x: items,
      users: 1000,
      items,
      ratings: 100_000,
      d,
      solve: true,
    })),
    'rank, with projection and solve': range(8, 5).map((rank) => ({
      x: rank,
      users: 2000,
      items: 1000,
      ratings: 300_000,
      d: rank,
      solve: true,
    })),
  };
  const results = {};
  for (const [axis, points] of Object.entries(axes)) {
    const measured = [];
    for (const { x, ...shape } of points) {
      const { ratings, milliseconds } = await sweepTime(engine, shape);
      measured.push({ x: x ?? ratings, y: milliseconds });
    }
    results[axis] = { points: measured, exponent: growthExponent(measured) };
  }
  await engine.close();
  printTable(
    'Growth of a sweep (user step and exact item sums), simd kernels, one thread, processor time',
    Object.entries(results).map(([axis, { points, exponent }]) => ({
      axis,
      from: points[0].x,
      to: points.at(-1).x,
      'ms at first': points[0].y,
      'ms at last': points.at(-1).y,
      exponent,
    })),
  );
  const file = new URL('growth.svg', folder);
  writeFileSync(file, growthChart(results));
  console.log(`Chart: ${file.pathname}`);
  return results;
}
