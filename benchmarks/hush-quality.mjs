// What hush finds on every real set, beside what it found with another state of the code: the same splits,
// the same seeds.
//
//   git worktree add ../before <commit> && (cd ../before && npm ci && npm run build)
//   HUSHREC_DATA=<folder> node benchmarks/hush-quality.mjs [../before] [--splits 5] [--epsilons 0.1,1,5,20]
//     [--only doubanRatings,flixsterRatings] [--stage validation]
//
// Both states must be built. It prints a table in Markdown: test figures of hush on its defaults (RMSE of
// ratings, Recall@20 of choices of people the model has not seen), their standard error over splits, and the
// change in per cent, paired by split. "Alone" is item effects, or popularity, with all of the budget.
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { choiceSets, mean, ratingSets, taskOf, withError } from './real-sets.mjs';

const sets = [...ratingSets, 'threeTastes', ...choiceSets];

const { values: asked, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    splits: { type: 'string', default: '5' },
    epsilons: { type: 'string', default: '0.1,1,5,20' },
    only: { type: 'string', default: sets.join(',') },
    stage: { type: 'string', default: 'test' },
  },
});
const here = fileURLToPath(new URL('..', import.meta.url));
const splits = Array.from({ length: Number(asked.splits) }, (_, k) => k + 1);

/** One state of the code. */
async function stateOf(root) {
  const load = (path) => import(pathToFileURL(`${root}/${path}`).href);
  const { createEngine } = await load('packages/numerics/dist/index.js');
  const { trainModel } = await load('packages/factorize/dist/index.js');
  const tasks = await load('papers/dist/harness/tasks.js');
  return { trainModel, tasks, engine: await createEngine({ threads: 1 }) };
}

async function figureOf({ trainModel, engine }, task, settings, epsilon, seed) {
  const feedback = task.metric === 'rmse' ? 'explicit' : 'implicit';
  const { model } = await trainModel({
    method: 'hush',
    settings: { feedback, ...settings },
    ratings: task.split.train,
    features: [],
    engine,
    epsilon,
    delta: 1e-5,
    seed: 100 + seed,
  });
  const stage = asked.stage === 'test' ? {} : { stage: asked.stage };
  const { metrics } = await task.split.evaluate(model, { resamples: 0, ...stage });
  return metrics[task.metric].value;
}

const now = await stateOf(here);
const earlier = positionals[0] === undefined ? undefined : await stateOf(resolve(positionals[0]));
const columns = ['set', 'ε', ...(earlier ? ['before'] : []), 'hush', 'alone', ...(earlier ? ['change'] : [])];
console.log(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`);
for (const name of asked.only.split(',')) {
  const tasks = [];
  for (const seed of splits)
    tasks.push([await taskOf(now, name, seed), earlier && (await taskOf(earlier, name, seed))]);
  for (const epsilon of asked.epsilons.split(',').map(Number)) {
    const [own, alone, before] = [[], [], []];
    for (const [k, seed] of splits.entries()) {
      const [task, other] = tasks[k];
      own.push(await figureOf(now, task, {}, epsilon, seed));
      alone.push(await figureOf(now, task, { vectors: false }, epsilon, seed));
      if (earlier) before.push(await figureOf(earlier, other, {}, epsilon, seed));
    }
    const change = own.map((value, k) => (100 * (value - before[k])) / mean(before));
    const cells = [
      ...[name, epsilon, ...(earlier ? [withError(before, 4)] : [])],
      ...[withError(own, 4), mean(alone).toFixed(4), ...(earlier ? [`${withError(change, 2)}%`] : [])],
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
await now.engine.close();
await earlier?.engine.close();
