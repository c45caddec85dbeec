import { type HushRules, hushRules } from '@hushrec/factorize';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import type { Task } from '../../harness/tasks.js';
import { measureVariant } from './measure-variant.js';
import { onValidation } from './on-validation.js';

/** A number of the rules, and what it is tried on. */
export interface RuleOnTrial extends Pick<Experiment, 'id' | 'title' | 'minutes' | 'quickMinutes'> {
  readonly rule: keyof HushRules;
  /** Tried beside the one in use; with the first the rule does nothing. */
  readonly others: readonly [without: number, ...number[]];
  readonly epsilons: readonly number[];
  tasks(context: ExperimentContext): Promise<Task[]>;
}

/** Recall@20 on validation by values of one rule, and what the value in use loses against none. */
export function valuesOfRule({ rule, others, epsilons, tasks, ...identity }: RuleOnTrial): Experiment {
  const values = [...others, hushRules[rule]].sort((a, b) => a - b);
  return {
    ...identity,
    paper: 'this project, docs/hush.md',
    needs: [],
    async run(context) {
      const findings: Finding[] = [];
      const lines: (string | number)[][] = [];
      const gains: number[][] = values.map(() => []);
      const repeats = context.quick ? 2 : 6;
      for (const whole of await tasks(context)) {
        const task = onValidation(whole);
        for (const epsilon of epsilons) {
          const figures: Awaited<ReturnType<typeof measureVariant>>[] = [];
          for (const value of values) {
            const variant = { name: `${value}`, rules: { [rule]: value } };
            figures.push(await measureVariant(context, task, variant, epsilon, repeats));
          }
          const popularity = { name: 'without vectors', settings: { vectors: false } };
          const plain = await measureVariant(context, task, popularity, epsilon, repeats);
          const without = figures[values.indexOf(others[0])];
          const own = figures[values.indexOf(hushRules[rule])];
          const lost = without.mean - own.mean;
          lines.push([task.name, epsilon, ...figures.map(({ mean }) => mean), own.error, plain.mean]);
          figures.forEach(({ mean }, at) => {
            gains[at].push(mean / without.mean - 1);
          });
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
      const gained = gains.map((of) => of.reduce((sum, gain) => sum + gain, 0) / of.length);
      findings.push({
        what: `part of Recall@20 that ${rule} brings, mean over ${lines.length} cells`,
        measured: gained[values.indexOf(hushRules[rule])],
        holds: gained[values.indexOf(hushRules[rule])] > 0,
        note: gained.map((gain, at) => `${values[at]}: ${(100 * gain).toFixed(2)} %`).join(', '),
      });
      const columns = [
        'data',
        'ε',
        ...values.map((value) => `${value}`),
        'standard error',
        'without vectors',
      ];
      return {
        findings,
        guarantee: simulations,
        sections: [{ heading: `Recall@20 on validation by ${rule}`, table: { columns, rows: lines } }],
      };
    },
  };
}
