/**
 * The smallest double x in (low, high] with `holds(x)`, for a predicate that is false, then true, as x grows. Ends on
 * neighbouring doubles, and returns the one where it holds: a search for noise therefore always stops on the
 * private side. At most about 1,100 evaluations, usually 60; geometric steps while the ends differ by more than
 * a factor 2.
 */
export function firstWhere(low: number, high: number, holds: (x: number) => boolean): number {
  let fails = low;
  let succeeds = high;
  for (;;) {
    const middle =
      fails > 0 && succeeds > 2 * fails
        ? Math.sqrt(fails) * Math.sqrt(succeeds)
        : fails + (succeeds - fails) / 2;
    if (!(middle > fails && middle < succeeds)) return succeeds;
    if (holds(middle)) succeeds = middle;
    else fails = middle;
  }
}

/** Like `firstWhere`, but stops when the ends agree to `relative`; still returns the end where it holds. */
export function firstWhereAbout(
  low: number,
  high: number,
  relative: number,
  holds: (x: number) => boolean,
): number {
  let fails = low;
  let succeeds = high;
  while (succeeds - fails > relative * succeeds) {
    const middle =
      fails > 0 && succeeds > 2 * fails
        ? Math.sqrt(fails) * Math.sqrt(succeeds)
        : fails + (succeeds - fails) / 2;
    if (!(middle > fails && middle < succeeds)) return succeeds;
    if (holds(middle)) succeeds = middle;
    else fails = middle;
  }
  return succeeds;
}
