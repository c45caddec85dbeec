import { type GridSums, peopleCount, weightedCounts, itemWeights as weightSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { weightsForHead, withCountsForHead } from './counts-for-head.js';
import { gradesFor } from './grades-for.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { laterStage } from './implicit-plan.js';
import { releaseSums, together } from './release-sums.js';

/** How many there are and what is popular; counts get as much of the budget as these say they need. */
export async function releaseCounts(
  { people, settings, recorder, signal }: PeopleInput<HushSettings>,
  rules: HushRules,
) {
  const { count } = await people.sum(peopleCount, null, signal);
  const population = Math.max(1, (await releaseSums(recorder, 'people-count', count)).value[0]);
  const graded = gradesFor(people);
  const exact = await people.sum(weightedCounts, graded, signal);
  const first = await releaseSums(recorder, 'item-counts', exact.counts);
  const stage = laterStage(settings, people.itemCount, population, first, rules);
  recorder.stage(stage.lines);
  if (stage.countShare === 0) return { population, counts: first, stage };
  const again = (sums: GridSums) => releaseSums(recorder, 'item-counts-again', sums);
  if (stage.rank > 0 || !stage.countsAlone || first.noise === 0)
    return { population, counts: together(first, await again(exact.counts)), stage };
  const preference = weightsForHead(first, rules);
  const { weights } = await people.sum(weightSums, { preference, ...graded }, signal);
  return { population, counts: withCountsForHead(first, await again(weights), preference), stage };
}
