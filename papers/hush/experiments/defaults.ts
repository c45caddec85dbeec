import { signOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { measureTask, rowOf, simulations } from '../../harness/measure-task.js';
import {
  amazonChoices,
  amazonRatings,
  filmTrustLikes,
  filmTrustRatings,
  generatedRatings,
  gowallaVisits,
  lastFmChoices,
  ml1mLikes,
  ml1mRatings,
  ml100kRatings,
  type Task,
} from '../../harness/tasks.js';

/**
 * Every real set, and generated ones of other shapes; a quick run takes those that train in a second or two.
 */
async function tasks(context: ExperimentContext): Promise<Task[]> {
  const real = [ml100kRatings, filmTrustRatings, amazonRatings, filmTrustLikes, lastFmChoices];
  const large = context.quick ? [] : [ml1mRatings, ml1mLikes, amazonChoices, gowallaVisits];
  const loaded: Task[] = [];
  for (const load of [...real, ...large]) loaded.push(await load(context));
  return [
    generatedRatings(context, 2000, 200, 60_000), // few items, dense
    generatedRatings(context, 5000, 3000, 300_000), // many items
    generatedRatings(context, 20_000, 800, 600_000), // many people, short histories
    ...loaded,
  ];
}

/** Whether tuning would have helped: `hush` on its defaults against `hush` tuned on validation. */
export const defaults: Experiment = {
  id: 'hush/defaults',
  title: 'hush untuned against the best of twelve candidates on validation, on every real set',
  paper: 'this project, docs/hush.md',
  needs: ['ml-100k', 'ml-1m', 'amazon-instant-video', 'filmtrust', 'hetrec2011-lastfm-2k', 'gowalla'],
  minutes: 40,
  quickMinutes: 8,
  async run(context) {
    const epsilons = context.quick ? [1, 5] : [1, 5, 20];
    const findings: Finding[] = [];
    for (const task of await tasks(context)) {
      const repeats = context.quick ? 3 : 5;
      const untuned = await measureTask(context, task, { id: 'hush' }, epsilons, repeats);
      const tuned = await measureTask(context, task, { id: 'hush', trials: 12 }, epsilons, repeats);
      for (const epsilon of epsilons) {
        const plain = rowOf(untuned, 'hush', epsilon);
        const best = rowOf(tuned, 'hush', epsilon);
        const loss = signOf(task.metric) < 0 ? plain.mean / best.mean - 1 : best.mean / plain.mean - 1;
        const error = Math.hypot(plain.error, best.error) / Math.min(plain.mean, best.mean);
        const most = task.metric === 'rmse' ? 0.01 : 0.03;
        findings.push({
          what: `${task.name}, ε = ${epsilon}: part of ${task.metric} lost without tuning (at most ${most}, or two standard errors)`,
          measured: loss,
          error,
          holds: loss <= Math.max(most, 2 * error),
          note: `untuned ${plain.mean.toFixed(4)} ± ${plain.error.toFixed(4)}, tuned ${best.mean.toFixed(4)} ± ${best.error.toFixed(4)} with ${JSON.stringify(best.tuned?.settings)}`,
        });
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};
