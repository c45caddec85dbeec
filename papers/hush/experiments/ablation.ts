import { signOf } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import {
  amazonRatings,
  filmTrustRatings,
  ml1mFewLikes,
  ml1mLikes,
  ml1mRatings,
  ml100kRatings,
  type Task,
} from '../../harness/tasks.js';
import { measureVariant, type Variant } from './measure-variant.js';

const ofRatings: readonly Variant[] = [
  { name: 'no mean of the population', pieces: { mean: false } },
  { name: 'no common level left in', pieces: { levelLeftIn: false } },
  { name: 'no constant direction', pieces: { constantDirection: false } },
  { name: 'directions may vanish', pieces: { keptDirections: false } },
  { name: 'earlier rounds forgotten', pieces: { earlierRounds: false } },
  { name: 'effects estimated once', pieces: { effectsTwice: false } },
  { name: 'no vectors', settings: { vectors: false } },
  { name: 'equal weights', settings: { weightExponent: 0 } },
];
const ofChoices: readonly Variant[] = [
  { name: 'echoes left in', pieces: { leftOut: false } },
  { name: 'no vectors', settings: { vectors: false } },
];
const facts: Variant = { name: 'film facts added', features: true };
const factsLast: Variant = {
  name: 'film facts in the last round alone',
  features: true,
  rules: { earlyFacts: 0 },
};
const factsAlways: Variant = { name: 'film facts in every round', features: true, rules: { earlyFacts: 1 } };

/** What each piece of `hush` brings: the test figure without it, against all of it. */
export const ablation: Experiment = {
  id: 'hush/ablation',
  title: 'What each piece of hush brings: ratings of four sets, likes of ML-1M, all of them and a fifth',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'ml-100k', 'filmtrust', 'amazon-instant-video', 'movie-features'],
  minutes: 25,
  async run(context) {
    const epsilons = context.quick ? [5] : [1, 5, 20];
    const repeats = context.quick ? 3 : 10;
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    const ml1m = await ml1mRatings(context);
    const tasks: readonly (readonly [Task, readonly Variant[]])[] = [
      [await filmTrustRatings(context), ofRatings],
      [await amazonRatings(context), ofRatings],
      [await ml100kRatings(context), ofRatings],
      [ml1m, [...ofRatings, facts, factsLast, factsAlways]],
      [await ml1mLikes(context), [...ofChoices, facts]],
      [await ml1mFewLikes(context), ofChoices],
    ];
    for (const [task, variants] of tasks) {
      for (const epsilon of epsilons) {
        const full = await measureVariant(context, task, { name: 'all of it' }, epsilon, repeats);
        lines.push([task.name, epsilon, 'all of it', full.mean, full.error, 0, 0]);
        for (const variant of variants) {
          const without = await measureVariant(context, task, variant, epsilon, repeats);
          const worse = signOf(task.metric) * (full.mean - without.mean);
          const brought = variant.features ? -worse : worse;
          const error = Math.hypot(full.error, without.error);
          lines.push([task.name, epsilon, variant.name, without.mean, without.error, brought, error]);
          findings.push({
            what: `${task.name}, ε = ${epsilon}: brought by it, ${variant.name} (${task.metric})`,
            measured: brought,
            holds: null,
            note: `± ${error.toFixed(4)}; ${without.mean.toFixed(4)} against ${full.mean.toFixed(4)}`,
          });
        }
      }
    }
    const columns = ['data', 'ε', 'variant', 'figure', 'standard error', 'brought', 'its standard error'];
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading: 'Test figures with one piece left out',
          table: { columns: columns, rows: lines },
        },
      ],
    };
  },
};
