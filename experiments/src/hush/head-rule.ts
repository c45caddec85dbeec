import { hushRules } from '@hushrec/factorize';
import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import type { Shape } from '../generated-shape.js';
import { simulations } from '../measure-task.js';
import {
  generatedShape,
  generatedVisits,
  lastFmChoices,
  ml1mFewLikes,
  ml1mLikes,
  type Task,
} from '../tasks.js';
import { measureVariant } from './measure-variant.js';
import { onValidation } from './on-validation.js';

/** 0 is without the rule. */
const values = [0, 1.5, hushRules.plainHead, 4];
const epsilons = [0.5, 1, 2];

/** Choices whose head is faint at these ε: many items, few people for them, flat popularity. */
const shapes: Readonly<Record<string, Shape>> = {
  '8,000 people among 40,000': {
    people: 8000,
    items: 40_000,
    each: 20,
    steepness: 1,
    mean: 0,
    seed: 701,
  },
  '30,000 people among 40,000': {
    people: 30_000,
    items: 40_000,
    each: 25,
    steepness: 1,
    mean: 0,
    seed: 705,
  },
  '2,000 people among 10,000': {
    people: 2000,
    items: 10_000,
    each: 60,
    steepness: 0.9,
    mean: 0,
    seed: 706,
  },
  'few people who choose much': {
    people: 800,
    items: 1500,
    each: 150,
    steepness: 0.8,
    mean: 0,
    seed: 714,
  },
};

async function tasks(context: ExperimentContext): Promise<Task[]> {
  const generated = Object.entries(shapes).map(([name, shape]) => generatedShape(name, shape, context));
  const real = context.data === undefined ? [] : [lastFmChoices, ml1mFewLikes, likesOfFew];
  const loaded: Task[] = [];
  for (const load of real) loaded.push(await load(context));
  return [generatedVisits(context), ...loaded, ...generated].map(onValidation);
}

const likesOfFew = (context: ExperimentContext) => ml1mLikes(context, 1500);

/** How far the twenty most chosen items should stand out of the noise before counts get no more budget. */
export const headRule: Experiment = {
  id: 'hush/head-rule',
  title:
    'How plain the most chosen items must be before choices get vectors: values of that rule on validation',
  paper: 'this project, docs/hush.md',
  needs: [],
  minutes: 5,
  quickMinutes: 2,
  async run(context) {
    const findings: Finding[] = [];
    const lines: (string | number)[][] = [];
    for (const task of await tasks(context)) {
      for (const epsilon of epsilons) {
        const figures: Awaited<ReturnType<typeof measureVariant>>[] = [];
        for (const plainHead of values)
          figures.push(
            await measureVariant(
              context,
              task,
              { name: `${plainHead}`, rules: { plainHead } },
              epsilon,
              context.quick ? 2 : 6,
            ),
          );
        const [without, own] = [figures[0], figures[values.indexOf(hushRules.plainHead)]];
        const lost = without.mean - own.mean;
        lines.push([task.name, epsilon, ...figures.map(({ mean }) => mean), own.error]);
        findings.push({
          what: `${task.name}, ε = ${epsilon}: Recall@20 lost by the rule (at most 3 %, or two standard errors)`,
          measured: lost,
          holds: lost <= Math.max(0.03 * without.mean, 2 * Math.hypot(own.error, without.error)),
          note: figures
            .map(({ mean, error }, at) => `${values[at]}: ${mean.toFixed(4)} ± ${error.toFixed(4)}`)
            .join(', '),
        });
      }
    }
    const columns = ['data', 'ε', ...values.map((value) => `${value}`), 'standard error'];
    return {
      findings,
      guarantee: simulations,
      sections: [{ heading: 'Recall@20 on validation by plainHead', table: { columns, rows: lines } }],
    };
  },
};
