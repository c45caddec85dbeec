import type { Estimate } from '../intervals/bootstrap.js';
import type { ListMetric } from './list-metric.js';

/**
 * Catalogue coverage@k: share of the items that are among the first k of at least one person.
 *
 * Its interval is the jackknife over people, value ± 1.96 √((n−1)/n Σ (δ_i − δ̄)²), δ_i being what the value
 * loses without person i (their items that nobody else was shown). A bootstrap would be wrong here:
 * resampling leaves people out and can only lose items, so it lies below the value by construction.
 * O(users·k).
 */
export const coverage: ListMetric = {
  name: 'coverage',
  about: 'share of all items that are among the first k of at least one person',
  better: 'larger',
  unit: 'share',
  needs: 'lists',
  of: coverageOf,
};

function coverageOf(lists: Int32Array, length: number, k: number, itemCount: number): Estimate {
  const users = lists.length / length;
  const shownTo = new Uint32Array(itemCount);
  const each = (user: number, visit: (item: number) => void) => {
    for (let p = 0; p < k && p < length; p++) {
      const item = lists[user * length + p];
      if (item >= 0) visit(item);
    }
  };
  for (let user = 0; user < users; user++) each(user, (item) => shownTo[item]++);
  let covered = 0;
  for (let j = 0; j < itemCount; j++) if (shownTo[j] > 0) covered++;
  const lost = new Float64Array(users);
  let mean = 0;
  for (let user = 0; user < users; user++) {
    let own = 0;
    each(user, (item) => {
      if (shownTo[item] === 1) own++;
    });
    lost[user] = own / itemCount;
    mean += lost[user] / users;
  }
  let squares = 0;
  for (let user = 0; user < users; user++) squares += (lost[user] - mean) ** 2;
  const value = covered / itemCount;
  const margin = users < 2 ? 0 : 1.96 * Math.sqrt(((users - 1) / users) * squares);
  return { value, low: Math.max(0, value - margin), high: Math.min(1, value + margin) };
}
