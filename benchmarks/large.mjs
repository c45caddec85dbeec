import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methodById, planRun } from '@hushrec/factorize';
import { createEngine, openRowFiles, writeRowFiles } from '@hushrec/numerics';
import { peopleCoins, RunSecret } from '@hushrec/privacy';
import { FilePeople, ratingsPerBlock } from '@hushrec/statistics';
import { printTable, processorTime } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

const shape = {
  users: 1_000_000,
  items: 60_000,
  ratings: 100_000_000,
};
const scale = { min: 0.5, max: 5, step: 0.5 };
const settings = { rank: 32, rounds: 3 };
const BLOCK_USERS = 25_000;
/** As `hushrec train --memory 2GiB` would have it. */
const MEMORY = 2 * 2 ** 30;

/** People in blocks, each made when it is wanted: 100 million ratings are never in memory together. */
function* people() {
  for (let begin = 0; begin < shape.users; begin += BLOCK_USERS) {
    const ratings = (shape.ratings * BLOCK_USERS) / shape.users;
    yield { rows: syntheticRatings({ users: BLOCK_USERS, items: shape.items, ratings, seed: 1 + begin }) };
  }
}

/**
 * 100 million ratings from files: preparation, and a whole training of the default method. Prints peak
 * memory.
 */
export async function benchmarkLarge() {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-large-'));
  const engine = await createEngine();
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
    await timed('generate, write by person', () => writeRowFiles(folder, shape.items, people()));
    const source = await openRowFiles(folder, { entriesPerBlock: ratingsPerBlock(MEMORY), remove: true });
    const method = methodById('hush');
    const run = planRun({
      method,
      settings,
      itemCount: shape.items,
      scale,
      epsilon: 1,
      delta: 1e-8,
      seed: 1,
    });
    await timed(`train hush, d = ${settings.rank}, ${settings.rounds} rounds`, () =>
      method.train({
        people: new FilePeople(source, scale, engine),
        features: [],
        settings: run.settings,
        engine,
        recorder: run.recorder,
        random: uniform(1),
        coins: peopleCoins(new RunSecret({ seed: 1 })),
      }),
    );
    printTable(
      `${source.entryCount} ratings of ${shape.users} people and ${shape.items} items from files, ${engine.description}`,
      rows,
    );
    await source.close();
    const peak = process.resourceUsage().maxRSS * 1024;
    if (peak > MEMORY) throw new Error(`Peak memory ${peak} bytes is above ${MEMORY}.`);
    return { ratings: source.entryCount, settings, memory: MEMORY, parts: rows };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
