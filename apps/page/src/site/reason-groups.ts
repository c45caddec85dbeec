import type { RatingRange } from '@hushrec/model';
import type { Recommendation, Recommendations } from '@hushrec/recommend';

/** Rows of a list that share a reason, in the order of the list. */
export interface ReasonGroup {
  readonly heading: string;
  /** Place of the first row, from 1. */
  readonly start: number;
  readonly items: readonly Recommendation[];
}

/**
 * Groups neighbouring rows by a reason they share, so that it is said once. A row joins the group before it
 * where one of its two strongest reasons is that group's; the order of the list is kept. "Unlike" where the
 * reason is something the person did not like.
 */
export function reasonGroups(
  { items, basis, tooNoisy, sameForAll }: Recommendations,
  titleOf: (id: string) => string,
  ratingOf: (id: string) => number | undefined,
  scale: RatingRange | undefined,
): ReasonGroup[] {
  if (basis !== 'history')
    return [
      {
        heading:
          basis === 'item-means'
            ? 'Rated best on average'
            : tooNoisy || sameForAll
              ? 'Liked by most, the same for everyone'
              : 'Liked by most',
        start: 1,
        items,
      },
    ];
  const middle = scale === undefined ? Number.NEGATIVE_INFINITY : (scale.min + scale.max) / 2;
  const groups: { reason: string | undefined; start: number; items: Recommendation[] }[] = [];
  for (const [place, item] of items.entries()) {
    const reasons = item.because.slice(0, 2).map(({ id }) => id);
    const last = groups.at(-1);
    const joins =
      last !== undefined &&
      (last.reason === undefined ? reasons.length === 0 : reasons.includes(last.reason));
    if (joins) last.items.push(item);
    else groups.push({ reason: reasons[0], start: place + 1, items: [item] });
  }
  return groups.map(({ reason, start, items: members }) => ({
    heading:
      reason === undefined
        ? 'Liked by most'
        : `${(ratingOf(reason) ?? middle) >= middle ? 'Because of' : 'Unlike'} ${titleOf(reason)}`,
    start,
    items: members,
  }));
}
