import { choices } from '../hush/choices.js';
import { itemEffects, residualVariance } from '../hush/item-effects.js';
import { itemWeights } from '../hush/item-weights.js';
import { levelVariance } from '../hush/level-variance.js';
import { meanRating, peopleCount, weightedCounts } from '../hush/population.js';
import { taste } from '../hush/taste.js';
import type { PersonStatistic } from './people.js';

/** Statistics about people by their ids: what workers may be asked for. */
const statistics = new Map<string, PersonStatistic<unknown>>();

/**
 * Makes statistics known by their ids.
 *
 * @throws RangeError where an id is another's
 */
export function registerStatistics(added: readonly PersonStatistic<never>[]): void {
  for (const statistic of added) {
    const known = statistics.get(statistic.id);
    if (known !== undefined && known !== (statistic as PersonStatistic<unknown>))
      throw new RangeError(`There is another statistic "${statistic.id}".`);
    // Who asks knows what is published; here it is handed on as it came.
    statistics.set(statistic.id, statistic as PersonStatistic<unknown>);
  }
}

registerStatistics([
  ...[peopleCount, meanRating, weightedCounts, itemWeights, itemEffects, residualVariance],
  ...[levelVariance, taste, choices],
]);
const ofThisFile: ReadonlySet<unknown> = new Set(statistics.values());

/** Whether threads, which load this file and no other, would find this very one. */
export function isKnownToThreads(statistic: PersonStatistic<never>): boolean {
  return ofThisFile.has(statistic);
}

/**
 * Whether workers, which look a statistic up by its id, would find this very one. One of a plug-in's own is
 * not known there, nor one that took the id of another.
 */
export function isKnownStatistic(statistic: PersonStatistic<never>): boolean {
  return statistics.get(statistic.id) === statistic;
}

/** @throws RangeError where there is none of this id */
export function statisticById(id: string): PersonStatistic<unknown> {
  const found = statistics.get(id);
  if (found === undefined) throw new RangeError(`There is no statistic "${id}".`);
  return found;
}
