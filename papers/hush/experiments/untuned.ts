import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { measureTask, rowOf, simulations } from '../../harness/measure-task.js';
import type { Task } from '../../harness/tasks.js';
import { against, simpler, withoutVectors } from './floors.js';

/** Data on which `hush` is run as it is. */
export interface UntunedOn extends Pick<Experiment, 'id' | 'title' | 'needs' | 'minutes' | 'quickMinutes'> {
  tasks(context: ExperimentContext): Promise<readonly Task[]>;
}

const epsilons = [1, 5, 20] as const;

/** `hush` on its defaults: against what is simpler, and against `dpals` tuned on validation. */
export function untuned({ tasks, ...identity }: UntunedOn): Experiment {
  return {
    ...identity,
    paper: 'this project, docs/hush.md',
    async run(context) {
      const repeats = context.quick ? 2 : 6;
      const findings: Finding[] = [];
      const rows: (string | number)[][] = [];
      for (const task of await tasks(context)) {
        const own = await measureTask(context, task, { id: 'hush' }, epsilons, repeats);
        const plain = await measureTask(context, task, withoutVectors, epsilons, repeats);
        const rival = { id: 'dpals', trials: context.quick ? 4 : 12, finalRuns: context.quick ? 1 : 2 };
        const tuned = await measureTask(context, task, rival, epsilons, repeats);
        for (const epsilon of epsilons) {
          const hush = rowOf(own, 'hush', epsilon);
          const floor = await simpler(context, task, epsilon, repeats);
          const effects = rowOf(plain, withoutVectors.name, epsilon);
          const dpals = rowOf(tuned, 'dpals', epsilon);
          findings.push(
            against(task, epsilon, hush, [floor, effects], 'what is simpler'),
            against(task, epsilon, hush, [dpals], 'dpals, tuned'),
          );
          rows.push([task.name, epsilon, hush.mean, hush.error, effects.mean, floor.mean, dpals.mean]);
        }
      }
      const columns = ['data', 'ε', 'hush', 'standard error', 'without vectors', 'simpler', 'dpals, tuned'];
      return {
        findings,
        guarantee: simulations,
        sections: [{ heading: 'RMSE of ratings, Recall@20 of choices', table: { columns, rows } }],
      };
    },
  };
}
