import { type GridSums, peopleCount, weightedCounts, itemWeights as weightSums } from '@hushrec/statistics';
import type { PeopleInput } from '../method.js';
import { weightsForHead, withCountsForHead } from './counts-for-head.js';
import { gradesFor } from './grades-for.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { laterStage } from './implicit-plan.js';
import { type ChoiceMemory, type RecalledPopulation, recallPopulation } from './memory/choice-memory.js';
import { figureOf } from './memory/recall-counts.js';
import { type ReleasedSums, releaseSums, together } from './release-sums.js';

/**
 * How many there are and what is popular; counts get as much of the budget as these say they need. What is
 * remembered is put together with them, unless it no longer fits.
 */
export async function releaseCounts(
  { people, settings, recorder, signal }: PeopleInput<HushSettings>,
  rules: HushRules,
  remembered?: ChoiceMemory,
) {
  const { count } = await people.sum(peopleCount, null, signal);
  const peopleNow = figureOf(await releaseSums(recorder, 'people-count', count));
  const graded = gradesFor(people);
  const exact = await people.sum(weightedCounts, graded, signal);
  const first = await releaseSums(recorder, 'item-counts', exact.counts);
  const recalled = recallPopulation(remembered, peopleNow, first);
  const memory = recalled.counts.isFitting ? remembered : undefined;
  const known = memory === undefined ? recallPopulation(undefined, peopleNow, first) : recalled;
  const population = Math.max(1, known.people.value);
  const stage =
    memory === undefined
      ? laterStage(settings, people.itemCount, population, first, rules)
      : refreshStage(settings, people.itemCount, known, memory, rules);
  recorder.stage(stage.lines);
  const told = (counts: ReleasedSums) => {
    const withMemory = recallPopulation(memory, peopleNow, counts);
    return {
      population,
      counts: memory === undefined ? counts : countsOf(withMemory),
      stage,
      memory,
      known: withMemory,
    };
  };
  if (stage.countShare === 0) return told(first);
  const again = (sums: GridSums) => releaseSums(recorder, 'item-counts-again', sums);
  if (stage.rank > 0 || !stage.countsAlone || first.noise === 0 || memory !== undefined)
    return told(together(first, await again(exact.counts)));
  const preference = weightsForHead(first, rules);
  const { weights } = await people.sum(weightSums, { preference, ...graded }, signal);
  return told(withCountsForHead(first, await again(weights), preference));
}

const countsOf = ({ counts }: RecalledPopulation): ReleasedSums => ({
  value: counts.values,
  noise: counts.noise,
});

/** New directions are added where released figures carry so many more than are remembered. */
const moreDirections = 4;

/** Below this part of its weight (some two weeks) a memory is too old for one round to make up for. */
const freshMemory = 0.7;

/**
 * The second stage of a refresh: one round, or three where refreshes are rare, with the directions that are
 * remembered, and more where what is known by now carries more. Counts get what they need with what is
 * remembered of them.
 */
function refreshStage(
  settings: HushSettings,
  itemCount: number,
  known: RecalledPopulation,
  { width, kept }: ChoiceMemory,
  rules: HushRules,
) {
  const people = Math.max(1, known.people.value);
  const ruled = laterStage(settings, itemCount, people, countsOf(known), rules);
  const rank = ruled.rank >= width + moreDirections ? ruled.rank : width;
  const rounds = kept < freshMemory ? 3 : 1;
  const asked = rank === 0 ? { ...settings, vectors: false } : { ...settings, rank, rounds };
  return laterStage(asked, itemCount, people, countsOf(known), rules);
}
