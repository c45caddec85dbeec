// What a training of hush costs beside another state of the code, at equal rank and rounds: CPU time, by
// turns.
//
//   git worktree add ../before <commit> && (cd ../before && npm ci && npm run build)
//   node benchmarks/hush-since.mjs ../before [--turns 3] [--only 'part of a name']
//
// Both states must be built and idle cores are wanted. Every turn of a set is a process of its own, six
// trainings a rank, of which the first does not count; the least counts. Real sets are added where
// HUSHREC_DATA names their folder.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const ranks = [4, 12, 32, 64];
const stars = { min: 1, max: 5, step: 1 };
/** Name, people, items, what each has, steepness of popularity; ratings where there is a scale. */
const shapes = [
  ['30,000 × 15,000, 14 each', 30_000, 15_000, 14, 1.1],
  ['4,000 × 900, 30 each', 4000, 900, 30, 0.7],
  ['70,000 × 500, 5 each', 70_000, 500, 5, 0.2],
  ['6,000 × 8,000, 39 each', 6000, 8000, 39, 1.1],
  ['2,000 × 20,000, 30 each', 2000, 20_000, 30, 1],
  ['40,000 × 1,500, 12 ratings each', 40_000, 1500, 12, 0.8, stars],
  ['1,500 × 6,000, 22 ratings each', 1500, 6000, 22, 1, stars],
];
/** Names of functions of the experiments' tasks. */
const real = ['amazonChoices', 'lastFmChoices', 'ml1mLikes', 'amazonRatings'];

/** The least CPU seconds of a training at every rank, with the code below `root`. */
async function measure(root, name) {
  const load = (path) => import(pathToFileURL(`${root}/${path}`).href);
  const { createEngine } = await load('packages/numerics/dist/index.js');
  const { trainModel } = await load('packages/factorize/dist/index.js');
  const tasks = await load('papers/dist/harness/tasks.js');
  const engine = await createEngine({ threads: 1 });
  const { signal } = new AbortController();
  const context = { data: process.env.HUSHREC_DATA, engine, quick: false, seed: 1, progress() {}, signal };
  const [, people, items, each, steepness, scale] = shapes.find(([own]) => own === name) ?? [];
  const shape = { people, items, each, steepness, mean: scale ? 0.6 : 0, seed: 3, ...(scale && { scale }) };
  const task = people ? tasks.generatedShape(name, shape, context) : await tasks[name](context);
  const feedback = task.metric === 'rmse' ? 'explicit' : 'implicit';
  const seconds = [];
  for (const rank of ranks) {
    let least = Infinity;
    for (let training = 0; training < 6; training++) {
      const before = process.cpuUsage();
      await trainModel({
        method: 'hush',
        settings: { rank, rounds: 5, feedback },
        ratings: task.split.train,
        features: [],
        engine,
        epsilon: 20,
        delta: 1e-5,
        seed: 1,
      });
      const { user, system } = process.cpuUsage(before);
      if (training > 0) least = Math.min(least, (user + system) / 1e6);
    }
    seconds.push(least);
  }
  await engine.close();
  return seconds;
}

/** The same in a process of its own. */
function measureAlone(root, name) {
  const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--measure', root, name], {
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`${name} with the code in ${root}:\n${run.stderr}`);
  return JSON.parse(run.stdout);
}

const { values: asked, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    measure: { type: 'boolean', default: false },
  },
});
if (asked.measure) {
  console.log(JSON.stringify(await measure(...positionals)));
} else {
  const [other] = positionals;
  if (other === undefined) throw new Error('Give the folder of another state of the code, built.');
  const here = fileURLToPath(new URL('..', import.meta.url));
  const names = [...shapes.map(([name]) => name), ...(process.env.HUSHREC_DATA ? real : [])];
  console.log(`CPU s now / there at rank ${ranks.join(', ')}, and their ratio`);
  for (const name of names.filter((each) => each.includes(asked.only))) {
    const [now, there] = [ranks.map(() => Infinity), ranks.map(() => Infinity)];
    for (let turn = 0; turn < Number(asked.turns); turn++) {
      for (const [root, least] of [
        [here, now],
        [resolve(other), there],
      ]) {
        const seconds = measureAlone(root, name);
        for (const k of ranks.keys()) least[k] = Math.min(least[k], seconds[k]);
      }
    }
    const cells = now.map(
      (own, k) => `${own.toFixed(3)}/${there[k].toFixed(3)} ${(own / there[k]).toFixed(2)}`,
    );
    console.log(`${name}: ${cells.join('   ')}`);
  }
}
