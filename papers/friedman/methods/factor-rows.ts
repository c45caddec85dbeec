/** Row-major float64 factor matrices of small width, and what the rating-level methods do to their rows. */

/**
 * Independent N(0, stdDev²) entries by Box–Muller from public randomness; initial vectors carry no secret.
 */
export function gaussianRows(
  count: number,
  width: number,
  stdDev: number,
  random: () => number,
): Float64Array {
  const rows = new Float64Array(count * width);
  for (let at = 0; at < rows.length; at += 2) {
    const radius = stdDev * Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    rows[at] = radius * Math.cos(angle);
    if (at + 1 < rows.length) rows[at + 1] = radius * Math.sin(angle);
  }
  return rows;
}

/** Π: scales every row with ‖x‖₂ > bound down to norm `bound` (min, not max: shorter rows stay). In place. */
export function projectRows(rows: Float64Array, width: number, bound: number): void {
  for (let begin = 0; begin < rows.length; begin += width) {
    let squared = 0;
    for (let c = begin; c < begin + width; c++) squared += rows[c] * rows[c];
    if (squared <= bound * bound) continue;
    // The last bits: a row scaled to the bound may still exceed it by rounding, and bounds are promises.
    const factor = (bound / Math.sqrt(squared)) * (1 - 2 ** -50);
    for (let c = begin; c < begin + width; c++) rows[c] *= factor;
  }
}
