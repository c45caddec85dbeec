import { signOf } from '../../harness/compare-rows.js';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  measureTask,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml1mLikes, ml1mRatings, type Task } from '../../harness/tasks.js';

const withFacts: Contestant = { id: 'hush', name: 'hush with film facts', features: true };

/**
 * ε, and what `hush` with film facts had before its budget came in stages: mean and standard error of ten
 * runs.
 */
type Recorded = readonly (readonly [epsilon: number, mean: number, error: number])[];
const ofRatings: Recorded = [
  [1, 0.9294, 0.0009],
  [5, 0.878, 0.0004],
  [10, 0.8654, 0.0002],
  [20, 0.8592, 0.0002],
];
const asIfMany: Recorded = [
  [1, 0.8596, 0.0002],
  [5, 0.8523, 0.0002],
  [10, 0.8519, 0.0002],
  [20, 0.8514, 0.0003],
];
const ofLikes: Recorded = [
  [1, 0.2467, 0.001],
  [5, 0.3032, 0.0015],
  [20, 0.3293, 0.001],
];

/**
 * `hush` on its defaults with public facts about films: its own part of `hush/frontier-film-facts` and
 * `hush/frontier-choices`, in minutes, with the same seeds.
 */
export const filmFacts: Experiment = {
  id: 'hush/film-facts',
  title: 'hush untuned with film facts: ratings and likes of ML-1M, beside what it had before',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'movie-features'],
  minutes: 8,
  async run(context) {
    const repeats = context.quick ? 3 : 10;
    const ratings = await ml1mRatings(context);
    const cells: readonly (readonly [string, Task, Recorded, number?])[] = [
      ['ML-1M', ratings, ofRatings],
      ['ML-1M likes', await ml1mLikes(context), ofLikes],
      [`ML-1M as if ${papersPeople} people`, ratings, asIfMany, papersPeople],
    ];
    const findings: Finding[] = [];
    const sections = [];
    for (const [name, task, recorded, asIfPeople] of cells) {
      const epsilons = recorded.map(([epsilon]) => epsilon);
      const rows = await measureTask(context, task, withFacts, epsilons, repeats, asIfPeople);
      sections.push(...frontierSections(name, task.metric, rows));
      for (const [epsilon, before, itsError] of recorded) {
        const { mean, error, runs } = rowOf(rows, 'hush with film facts', epsilon);
        const worse = signOf(task.metric) * (before - mean);
        findings.push({
          what: `${name}, ε = ${epsilon}: ${task.metric} with film facts, no worse than before by more than two standard errors`,
          measured: mean,
          error,
          holds: worse <= 2 * Math.hypot(error, itsError),
          note: `± ${error.toFixed(4)} (${runs} runs); before ${before} ± ${itsError}`,
        });
      }
    }
    return { findings, guarantee: simulations, sections };
  },
};
