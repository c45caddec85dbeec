/**
 * What is made of counts after their release. Everything here is post-processing and costs nothing.
 */

/** Counts floored at their noise level (and at a hair above 0), so that no weight explodes on pure noise. */
export function flooredCounts(released: ArrayLike<number>, noise: number): Float64Array {
  const floor = Math.max(noise, 1e-3);
  const floored = new Float64Array(released.length);
  for (let item = 0; item < floored.length; item++) floored[item] = Math.max(released[item], floor);
  return floored;
}

/**
 * The ⌈fraction · m⌉ items with the largest released counts as a mask of 0 and 1; ties go to the smaller
 * number. O(m log m).
 */
export function frequentItems(released: ArrayLike<number>, fraction: number): Uint8Array {
  if (!(fraction > 0 && fraction <= 1)) {
    throw new RangeError(`The fraction of items kept is ${fraction}; expected a number in (0, 1].`);
  }
  const order = Array.from({ length: released.length }, (_, item) => item).sort(
    (a, b) => released[b] - released[a] || a - b,
  );
  const mask = new Uint8Array(released.length);
  for (const item of order.slice(0, Math.ceil(fraction * released.length))) mask[item] = 1;
  return mask;
}

/**
 * Ridge per item that grows with released popularity: λ·(ĉ_j + 1)^e / mean, where the mean is weighted by
 * ĉ + 1, so that λ is the ridge of an item of count-weighted average size. e = 0 gives λ for all.
 */
export function ridgeByCount(released: ArrayLike<number>, ridge: number, exponent: number): Float64Array {
  let weighted = 0;
  let total = 0;
  const shape = Float64Array.from({ length: released.length }, (_, item) => {
    const count = Math.max(released[item], 0) + 1;
    const power = count ** exponent;
    weighted += count * power;
    total += count;
    return power;
  });
  const scale = weighted > 0 ? (ridge * total) / weighted : ridge;
  return shape.map((power) => power * scale);
}
