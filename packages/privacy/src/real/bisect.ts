/**
 * The smallest double x in (low, high] with `holds(x)`, for a predicate that is false, then true, as x grows.
 * Ends on neighbouring doubles, and returns the one where it holds: a search for noise therefore always stops
 * on the private side. At most about 1,100 evaluations, usually 60; geometric steps while the ends differ by
 * more than a factor 2.
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

/**
 * About the smallest x > 0 with `value(x)` ≤ target, for a positive value that falls as x grows: a point
 * where it holds, within `relative` of one where it does not. Interpolates linearly in logarithms (Illinois
 * rule), so that few, expensive evaluations are enough; `guess` is where the search starts.
 */
export function firstWhereBelow(
  guess: number,
  target: number,
  relative: number,
  value: (x: number) => number,
): number {
  const heightAt = (x: number): number => {
    const height = value(x);
    // 0 and Infinity have no finite logarithm; any large number keeps the sign.
    return Math.max(-700, Math.min(700, Math.log(height / target)));
  };
  let good = guess;
  let goodHeight = heightAt(good);
  let bad = good;
  let badHeight = goodHeight;
  while (goodHeight > 0) {
    [bad, badHeight] = [good, goodHeight];
    good *= 1.5;
    goodHeight = heightAt(good);
  }
  while (badHeight <= 0) {
    [good, goodHeight] = [bad, badHeight];
    bad /= 1.5;
    badHeight = heightAt(bad);
  }
  let goodWeight = goodHeight;
  let badWeight = badHeight;
  while (good - bad > relative * good) {
    const share = badWeight / (badWeight - goodWeight);
    // Aim a little to the good side, so that an exact hit ends the search.
    const aim = bad * (good / bad) ** Math.min(0.99, Math.max(0.01, share)) * (1 + relative / 2);
    const x = aim > bad && aim < good ? aim : Math.sqrt(bad * good);
    if (!(x > bad && x < good)) return good;
    const height = heightAt(x);
    if (height <= 0) {
      [good, goodWeight] = [x, height];
      badWeight /= 2;
    } else {
      [bad, badWeight] = [x, height];
      goodWeight /= 2;
    }
  }
  return good;
}
