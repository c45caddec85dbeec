import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, randomFactors, StreamedEngine, zeroFactors } from '@hushrec/numerics';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

const shape = { users: 1_000_000, items: 60_000, ratings: 100_000_000 };
const d = 32;
const BLOCK_USERS = 25_000;

/** People in blocks, each made when it is wanted: 100 million ratings are never in memory together. */
function* people() {
  for (let begin = 0; begin < shape.users; begin += BLOCK_USERS) {
    const ratings = (shape.ratings * BLOCK_USERS) / shape.users;
    yield { rows: syntheticRatings({ users: BLOCK_USERS, items: shape.items, ratings, seed: 1 + begin }) };
  }
}

/** 100 million ratings from files: preparation, a user step, and an item step with exact sums and a solve. Prints peak memory. */
export async function benchmarkLarge() {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-large-'));
  const engine = await createEngine();
  const streamed = new StreamedEngine(engine);
  const rows = [];
  const timed = async (part, work) => {
    const started = performance.now();
    const used = processorTime();
    const result = await work();
    const gibibytes = (process.resourceUsage().maxRSS * 1024) / 2 ** 30;
    rows.push({
      part,
      'seconds on the wall': (performance.now() - started) / 1000,
      'processor seconds': (processorTime() - used) / 1000,
      'peak memory so far, GiB': gibibytes,
    });
    console.log(`${part}: done, peak ${gibibytes.toFixed(2)} GiB`);
    return result;
  };
  try {
    const { byUser, byItem } = await timed('generate, write by user and by item', () =>
      streamed.prepare(folder, shape.items, people()),
    );
    const items = randomFactors(shape.items, d, 1 / Math.sqrt(d), uniform(1));
    const users = zeroFactors(shape.users, d);
    await timed('user step', () => streamed.solveRows({ rows: byUser, fixed: items, ridge: 5, out: users }));
    await timed('item step', async () => {
      const grid = { vectorBound: 16, targetBound: 5, vectorBits: 14, targetBits: 14, matrices: true };
      for await (const { begin, matrices, vectors } of streamed.itemStatistics({
        byItem,
        users,
        ...grid,
        itemsPerBlock: 2048,
      })) {
        const count = vectors.length / d;
        const ridge = new Float64Array(count).fill(2 ** 28);
        await engine.solvePsd({ width: d, count, matrices, vectors, ridge, out: items, begin });
      }
    });
    printTable(
      `${byUser.entryCount} ratings of ${shape.users} users and ${shape.items} items from files, d = ${d}, ${engine.description}`,
      rows,
    );
    return { ratings: byUser.entryCount, d, parts: rows };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
