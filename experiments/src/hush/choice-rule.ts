import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import { measureAll, rowOf, simulations } from '../measure-task.js';
import {
  amazonChoices,
  filmTrustLikes,
  generatedVisits,
  lastFmChoices,
  ml1mFewLikes,
  ml1mLikes,
  type Task,
} from '../tasks.js';
import { onValidation } from './on-validation.js';
import { ownSettings } from './own-settings.js';

/** What the rule says, with one thing changed by a factor. */
const changes = [
  ...[1 / 4, 1 / 2, 2, 4].map((factor) => ({ setting: 'unobservedRatio', factor })),
  { setting: 'choiceBound', factor: 0.5 },
  { setting: 'userRidge', factor: 1 / 5 },
  { setting: 'userRidge', factor: 5 },
];
/** What a rule decides, set instead. */
const choices = [
  ...[4, 8, 16, 32].map((rank) => ({ name: `rank ${rank}`, settings: { rank } })),
  ...[3, 4, 7].map((rounds) => ({ name: `rounds ${rounds}`, settings: { rounds } })),
];
const nameOf = ({ setting, factor }: (typeof changes)[number]) => `${setting} × ${factor}`;

/**
 * Data on which the rule was learned, with the populations whose noise it is given: none of it is in
 * `hush/defaults`.
 */
async function tasks(context: ExperimentContext): Promise<[task: Task, people: number][]> {
  const amazon = await amazonChoices(context);
  if (context.quick) return [[amazon, 30_000]];
  return [
    [amazon, 8_000],
    [amazon, 30_000],
    [await ml1mFewLikes(context), 30_000],
    [await ml1mLikes(context), 6_000],
    [await lastFmChoices(context), 1_900],
    [await filmTrustLikes(context), 1_500],
    [generatedVisits(context), 40_000],
  ];
}

/**
 * How far the rule for choices is from the best that can be found around it, on validation of data on which
 * it was learned: dense and sparse choices, from signals below the noise to far above it.
 */
export const choiceRule: Experiment = {
  id: 'hush/choice-rule',
  title: 'The rule for the settings of hush on choices, on the data it was learned on',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'amazon-instant-video', 'hetrec2011-lastfm-2k', 'filmtrust'],
  minutes: 40,
  async run(context) {
    const epsilons = [1, 5, 20];
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    for (const [whole, people] of await tasks(context)) {
      const task = onValidation(whole);
      for (const epsilon of epsilons) {
        const settings = ownSettings(context, task, epsilon, people);
        const changed = [
          ...changes.map((change) => ({
            id: 'hush',
            name: nameOf(change),
            settings: { [change.setting]: Number(settings[change.setting]) * change.factor },
          })),
          ...choices.map((choice) => ({ id: 'hush', ...choice })),
        ];
        const rows = await measureAll(
          context,
          task,
          [{ id: 'hush', name: 'rule' }, ...changed],
          [epsilon],
          context.quick ? 2 : 4,
          people,
        );
        const own = rowOf(rows, 'rule', epsilon);
        const best = rows.reduce((a, b) => (b.mean > a.mean ? b : a));
        const loss = 1 - own.mean / best.mean;
        lines.push([
          `${task.name}, as if ${people} people`,
          epsilon,
          own.mean,
          ...changed.map(({ name }) => rowOf(rows, name, epsilon).mean),
        ]);
        findings.push({
          what: `${task.name}, as if ${people} people, ε = ${epsilon}: part of Recall@20 lost by the rule`,
          measured: loss,
          holds: loss <= 0.03,
          note: `rule ${own.mean.toFixed(4)} ± ${own.error.toFixed(4)}, best ${best.mean.toFixed(4)} with ${best.name}; the best of ${rows.length} is partly luck`,
        });
      }
    }
    const columns = ['data', 'ε', 'rule', ...changes.map(nameOf), ...choices.map(({ name }) => name)];
    return {
      findings,
      guarantee: simulations,
      sections: [
        {
          heading: 'Recall@20 on validation, the rule and one setting changed',
          table: { columns: columns, rows: lines },
        },
      ],
    };
  },
};
