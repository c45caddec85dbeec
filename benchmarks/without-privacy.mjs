// Yardsticks: what each method without privacy finds on every real set, on its defaults, hush at ε = ∞ among
// them.
//
//   HUSHREC_DATA=<folder> node benchmarks/without-privacy.mjs [--splits 3] [--only ml1mRatings,doubanLikes]
//
// It prints a table in Markdown: RMSE of ratings, Recall@20 of choices of people the model has not seen, with
// its standard error over splits: test figures, and which method is best on validation.
import { parseArgs } from 'node:util';
import { trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';

const tasks = await import('../papers/dist/harness/tasks.js');

/** Names of functions of the experiments' tasks: ratings, and choices. */
const ratings = [
  ...['ml100kRatings', 'ml1mRatings', 'amazonRatings', 'filmTrustRatings', 'jesterRatings'],
  ...['doubanRatings', 'flixsterRatings', 'coatRatings'],
];
const choices = [
  ...['ml1mLikes', 'amazonChoices', 'filmTrustLikes', 'lastFmChoices', 'doubanLikes', 'flixsterLikes'],
];

const { values: asked } = parseArgs({
  options: {
    splits: { type: 'string', default: '3' },
    only: { type: 'string', default: [...ratings, ...choices].join(',') },
  },
});
const { signal } = new AbortController();
const engine = await createEngine({ threads: 1 });

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
function withError(values) {
  const around = mean(values);
  const variance =
    values.reduce((sum, value) => sum + (value - around) ** 2, 0) / Math.max(1, values.length - 1);
  return `${around.toFixed(4)} ± ${Math.sqrt(variance / values.length).toFixed(4)}`;
}

async function figures(task, method, seed) {
  const feedback = task.metric === 'rmse' ? 'explicit' : 'implicit';
  const { model } = await trainModel({
    method,
    settings: method === 'hush' ? { feedback } : {},
    ratings: task.split.train,
    features: [],
    engine,
    epsilon: Infinity,
    delta: 0,
    seed: 100 + seed,
  });
  const of = async (stage) =>
    (await task.split.evaluate(model, { resamples: 0, ...(stage && { stage }) })).metrics[task.metric].value;
  return { validation: await of('validation'), test: await of() };
}

for (const [kind, methods, names] of [
  ['Ratings, RMSE', ['als', 'bayes-als', 'hush'], ratings],
  ['Choices, Recall@20', ['popularity', 'ials', 'ease', 'hush'], choices],
]) {
  const wanted = names.filter((name) => asked.only.split(',').includes(name));
  if (wanted.length === 0) continue;
  console.log(`\n| ${[kind, ...methods, 'best on validation'].join(' | ')} |`);
  console.log(`|${' --- |'.repeat(methods.length + 2)}`);
  for (const name of wanted) {
    const found = new Map(methods.map((method) => [method, []]));
    const isSmallerBetter = kind.endsWith('RMSE');
    for (let seed = 1; seed <= Number(asked.splits); seed++) {
      const task = await tasks[name]({
        data: process.env.HUSHREC_DATA,
        engine,
        quick: false,
        seed,
        progress() {},
        signal,
      });
      for (const method of methods) found.get(method).push(await figures(task, method, seed));
    }
    const validation = (method) => mean(found.get(method).map((each) => each.validation));
    const [best] = [...methods].sort((a, b) => (isSmallerBetter ? 1 : -1) * (validation(a) - validation(b)));
    const cells = methods.map((method) => withError(found.get(method).map(({ test }) => test)));
    console.log(`| ${[name, ...cells, best].join(' | ')} |`);
  }
}
await engine.close();
