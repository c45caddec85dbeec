import type { ChoiceRules } from './choice-rules.js';
import type { ReleasedSums } from './release-sums.js';

/**
 * h_j: how much of their weight people spend on an item when counts are all there is. Recommendations then
 * are the head of the list, so items that cannot be in it, by a first look at counts, get next to none, and
 * someone who chose thirty things, of which eight may be in the head, says twice as much about each of the
 * eight. Where noise leaves everything open this is all of them. Reads released numbers only.
 * O(items log items).
 */
export function weightsForHead(
  { value, noise }: ReleasedSums,
  {
    candidates,
    candidateDoubt,
    restWeight,
  }: Pick<ChoiceRules, 'candidates' | 'candidateDoubt' | 'restWeight'>,
): Float64Array {
  const sorted = Float64Array.from(value).sort();
  const reached = sorted[Math.max(0, sorted.length - candidates)];
  return value.map((count) => (count >= reached - candidateDoubt * noise ? 1 : restWeight));
}

/**
 * The first counts and the second together, by inverse variance: a second one is about h_j·r times the first,
 * r ≥ 1 because nobody chose fewer things than things that may be in the head; r as their totals over these
 * say. `noise` is that of such items.
 */
export function withCountsForHead(
  first: ReleasedSums,
  again: ReleasedSums,
  weights: Float64Array,
): ReleasedSums {
  let [before, after] = [0, 0];
  weights.forEach((weight, item) => {
    if (weight < 1) return;
    before += first.value[item];
    after += again.value[item];
  });
  const scale = before > 0 ? Math.max(1, after / before) : 1;
  const precision = first.noise ** -2;
  const value = first.value.map((count, item) => {
    const strength = weights[item] * scale;
    const more = (strength / again.noise) ** 2;
    return (precision * count + (more * again.value[item]) / strength) / (precision + more);
  });
  return { value, noise: (precision + (scale / again.noise) ** 2) ** -0.5 };
}
