import { ahead } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { frontierSections, sliceSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureAll,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml1mRatings, type Task } from '../../harness/tasks.js';

interface Ablation {
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  readonly minutes: number;
  readonly quickMinutes: number;
  /** Runs of a first look; two unless given. */
  readonly quickRuns?: number;
  /** Ratings unless given. */
  readonly task?: (context: ExperimentContext) => Promise<Task>;
  readonly contestants: readonly Contestant[];
  readonly epsilons: readonly number[];
  readonly findings: (rows: readonly Measured[]) => readonly Finding[];
}

/** An experiment that compares settings of user-level methods on ML-1M with the noise of 69,878 people. */
export function ablation({
  id,
  title,
  paper,
  minutes,
  quickMinutes,
  quickRuns = 2,
  task: load = ml1mRatings,
  contestants,
  epsilons,
  findings,
}: Ablation): Experiment {
  return {
    id,
    title,
    paper,
    needs: ['ml-1m', 'movie-features'],
    minutes,
    quickMinutes,
    async run(context: ExperimentContext) {
      const task = await load(context);
      const rows = await measureAll(
        context,
        task,
        contestants,
        epsilons,
        context.quick ? quickRuns : 10,
        papersPeople,
      );
      return {
        findings: findings(rows),
        guarantee: simulations,
        sections: [...frontierSections(title, task.metric, rows), ...sliceSections(title, task.metric, rows)],
      };
    },
  };
}

/** Whether one line of an ablation is ahead of another at one ε. */
export function aheadAt(
  rows: readonly Measured[],
  what: string,
  better: string,
  worse: string,
  epsilon: number,
  more: { readonly published?: number; readonly note?: string } = {},
): Finding {
  const own = rowOf(rows, better, epsilon);
  return ahead(`ε = ${epsilon}: ${what}`, own, rowOf(rows, worse, epsilon), own.metric, more);
}
