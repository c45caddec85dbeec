import {
  type GridSums,
  peopleCount,
  weightedCountSensitivity,
  weightedCounts,
  itemWeights as weightSums,
} from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { singleRelease } from '../user-level/shared/round-releases.js';
import { weightsForHead, withCountsForHead } from './counts-for-head.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { laterStage } from './implicit-plan.js';
import { type ReleasedSums, releaseSums, together } from './release-sums.js';

/** How many there are and what is popular; counts get as much of the budget as these say they need. */
export async function releaseCounts(
  { people, settings, recorder, signal }: PeopleInput<HushSettings>,
  rules: HushRules,
) {
  const { count } = await people.sum(peopleCount, null, signal);
  const population = Math.max(1, (await releaseSums(recorder, 'people-count', count)).value[0]);
  const exact = await people.sum(weightedCounts, null, signal);
  const first = await releaseSums(recorder, 'item-counts', exact.counts);
  const stage = laterStage(settings, people.itemCount, population, first, rules);
  recorder.stage(stage.lines);
  if (stage.countShare === 0) return { population, counts: first, stage };
  const again = (sums: GridSums) => releaseSums(recorder, 'item-counts-again', sums);
  if (stage.rank > 0 || !stage.countsAlone || first.noise === 0)
    return { population, counts: together(first, await again(exact.counts)), stage };
  return { population, counts: await countHead(people, first, again, rules, signal), stage };
}

/** What the last rounds would have cost goes to counts, since the rounds before them found nothing. */
export async function releaseInstead(
  { people, recorder, signal }: PeopleInput<HushSettings>,
  share: number,
  counts: ReleasedSums,
  rules: HushRules,
): Promise<ReleasedSums> {
  recorder.stage([singleRelease('item-counts-instead', share, weightedCountSensitivity)]);
  const release = (sums: GridSums) => releaseSums(recorder, 'item-counts-instead', sums);
  return countHead(people, counts, release, rules, signal);
}

/** Counts of what may be in the head by the counts so far, put together with them. */
async function countHead(
  people: PeopleInput<HushSettings>['people'],
  counts: ReleasedSums,
  release: (sums: GridSums) => Promise<ReleasedSums>,
  rules: HushRules,
  signal: AbortSignal | undefined,
): Promise<ReleasedSums> {
  const preference = weightsForHead(counts, rules);
  const { weights } = await people.sum(weightSums, { preference }, signal);
  return withCountsForHead(counts, await release(weights), preference);
}
