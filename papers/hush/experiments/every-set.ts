import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import { measureTask, papersPeople, rowOf, simulations } from '../../harness/measure-task.js';
import { filmTrustLikes, ml1mLikes } from '../../harness/tasks.js';
import { against, simpler, withoutVectors } from './floors.js';
import { type ComparedSet, comparedEpsilons, comparedSets } from './sets.js';

/** What was aimed at on sets that nobody who made `hush` had seen: test RMSE at ε 1, 5 and 20. */
const aims: Readonly<Record<string, readonly (readonly [epsilon: number, most: number])[]>> = {
  FilmTrust: [
    [1, 0.816],
    [5, 0.815],
    [20, 0.796],
  ],
  'Amazon Instant Video': [
    [1, 0.953],
    [5, 0.938],
    [20, 0.931],
  ],
};

/**
 * Those of `hush/frontier`, the one that takes longest last, and likes: of FilmTrust, where popularity is
 * nearly everything, and of ML-1M, which `hush/frontier-choices` compares.
 */
const sets: readonly ComparedSet[] = [
  ...comparedSets.filter(({ name }) => name !== 'Gowalla'),
  { name: 'FilmTrust likes', needs: 'filmtrust', load: filmTrustLikes },
  { name: 'ML-1M likes', needs: 'ml-1m', load: ml1mLikes },
  {
    name: `ML-1M likes as if ${papersPeople} people`,
    needs: 'ml-1m',
    asIfPeople: papersPeople,
    load: ml1mLikes,
  },
  ...comparedSets.filter(({ name }) => name === 'Gowalla'),
];

/**
 * `hush` on its defaults on every set of `hush/frontier`, beside what is simpler: its own part of that
 * comparison, in minutes.
 */
export const everySet: Experiment = {
  id: 'hush/every-set',
  title: 'hush untuned on six real sets and five generated ones, beside what is simpler',
  paper: 'this project, docs/hush.md',
  needs: [...new Set(sets.flatMap(({ needs }) => needs ?? []))],
  minutes: 40,
  async run(context) {
    const repeats = context.quick ? 3 : 10;
    const findings: Finding[] = [];
    const sections = [];
    for (const set of sets) {
      const task = await set.load(context);
      const measure = (contestant: { readonly id: string }) =>
        measureTask(context, task, contestant, comparedEpsilons, repeats, set.asIfPeople);
      const rows = await measure({ id: 'hush' });
      const plain = await measure(withoutVectors);
      sections.push(...frontierSections(set.name, task.metric, [...rows, ...plain]));
      for (const epsilon of comparedEpsilons) {
        const own = rowOf(rows, 'hush', epsilon);
        const others = [rowOf(plain, withoutVectors.name, epsilon)];
        // With the noise of another population there is no plain way to a simpler figure.
        const floor = set.asIfPeople === undefined ? [await simpler(context, task, epsilon, repeats)] : [];
        findings.push(
          against({ ...task, name: set.name }, epsilon, own, [...floor, ...others], 'what is simpler'),
        );
        const aim = aims[set.name]?.find(([at]) => at === epsilon);
        if (aim !== undefined)
          findings.push({
            what: `${set.name}, ε = ${epsilon}: at most ${aim[1]}`,
            measured: own.mean,
            holds: own.mean <= aim[1],
          });
      }
    }
    return { findings, guarantee: simulations, sections };
  },
};
