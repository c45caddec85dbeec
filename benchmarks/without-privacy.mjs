// Yardsticks: what each method without privacy finds on every real set, on its defaults, hush at ε = ∞ among
// them.
//
//   HUSHREC_DATA=<folder> node benchmarks/without-privacy.mjs [--splits 3] [--only ml1mRatings,doubanLikes]
//
// It prints a table in Markdown: RMSE of ratings, Recall@20 of choices of people the model has not seen, with
// its standard error over splits: test figures, and which method is best on validation.
import { parseArgs } from 'node:util';
import { CatalogueSizeError, trainModel } from '@hushrec/factorize';
import { createEngine } from '@hushrec/numerics';
import { choiceSets, mean, ratingSets, taskOf, withError } from './real-sets.mjs';

const tasks = await import('../papers/dist/harness/tasks.js');

const { values: asked } = parseArgs({
  options: {
    splits: { type: 'string', default: '3' },
    only: { type: 'string', default: [...ratingSets, ...choiceSets].join(',') },
  },
});
const engine = await createEngine({ threads: 1 });

/** Undefined where the catalogue is too large for the method. */
async function figuresIfPossible(task, method, seed) {
  try {
    return await figures(task, method, seed);
  } catch (error) {
    if (error instanceof CatalogueSizeError) return undefined;
    throw error;
  }
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
  ['Ratings, RMSE', ['als', 'bayes-als', 'hush'], ratingSets],
  ['Choices, Recall@20', ['popularity', 'ials', 'ease', 'hush'], choiceSets],
]) {
  const wanted = names.filter((name) => asked.only.split(',').includes(name));
  if (wanted.length === 0) continue;
  console.log(`\n| ${[kind, ...methods, 'best on validation'].join(' | ')} |`);
  console.log(`|${' --- |'.repeat(methods.length + 2)}`);
  for (const name of wanted) {
    const found = new Map(methods.map((method) => [method, []]));
    const isSmallerBetter = kind.endsWith('RMSE');
    for (let seed = 1; seed <= Number(asked.splits); seed++) {
      const task = await taskOf({ tasks, engine }, name, seed);
      for (const method of methods) {
        const figure = await figuresIfPossible(task, method, seed);
        if (figure === undefined) found.delete(method);
        else found.get(method).push(figure);
      }
    }
    const validation = (method) => mean(found.get(method).map((each) => each.validation));
    const [best] = [...found.keys()].sort(
      (a, b) => (isSmallerBetter ? 1 : -1) * (validation(a) - validation(b)),
    );
    const cells = methods.map((method) => {
      const tested = found.get(method)?.map(({ test }) => test);
      return tested ? withError(tested, 4) : 'too many items';
    });
    console.log(`| ${[name, ...cells, best].join(' | ')} |`);
  }
}
await engine.close();
