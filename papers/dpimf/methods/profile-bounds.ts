/**
 * Public bounds on the profiles that enter a statistic. The paper has none: it reads them off the private
 * data.
 */
export interface ProfileBounds {
  /** C₁ ≥ ‖p‖₁. */
  readonly l1: number;
  /** C₂ ≥ ‖p‖₂. */
  readonly l2: number;
}

/** Profiles as whole numbers of `step`, so that their sums and products add up exactly. */
export interface GridProfiles {
  readonly width: number;
  readonly step: number;
  /** Row-major, whole numbers; ‖·‖₁·step ≤ C₁ and ‖·‖₂·step ≤ C₂ for every row. */
  readonly units: Float64Array;
}

/**
 * Bits of a coordinate at the ℓ₁ bound: products then keep 28, and noise of every usual ε fits the samplers'
 * range.
 */
const gridBits = 14;

/**
 * p ← p·min(1, C₁/‖p‖₁, C₂/‖p‖₂), then every coordinate is rounded towards zero to a multiple of C₁·2^−bits,
 * which enlarges neither norm. Post-processing when the profiles are released or public. O(rows · d).
 */
export function boundProfiles(
  rows: Float64Array,
  width: number,
  bounds: ProfileBounds,
  bits = gridBits,
): GridProfiles {
  const step = bounds.l1 * 2 ** -bits;
  const units = new Float64Array(rows.length);
  for (let begin = 0; begin < rows.length; begin += width) {
    let absolute = 0;
    let squared = 0;
    for (let c = begin; c < begin + width; c++) {
      absolute += Math.abs(rows[c]);
      squared += rows[c] * rows[c];
    }
    // A row of NaN or infinities becomes 0: min and comparisons with NaN fail towards keeping nothing.
    const keep = Number.isFinite(squared)
      ? Math.min(1, bounds.l1 / (absolute || 1), bounds.l2 / (Math.sqrt(squared) || 1)) * (1 - 2 ** -40)
      : 0;
    if (keep === 0) continue;
    for (let c = begin; c < begin + width; c++) units[c] = Math.trunc((rows[c] * keep) / step);
  }
  return { width, step, units };
}

/** The profiles as real numbers. */
export function realProfiles({ units, step }: GridProfiles): Float64Array {
  return units.map((value) => value * step);
}
