import type { Csr } from '@hushrec/numerics';
import { type PlannedRelease, type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { GridProfiles, ProfileBounds } from './profile-bounds.js';

/** How DPIMF builds and noises its loss (Ran et al. 2024, §III and §IV-B). */
export type LossVariant = 'strawman' | 'complementary' | 'symmetric' | 'optimal';

export interface ProfileLoss {
  readonly variant: LossVariant;
  /** α₀: weight of pairs without interaction; 1 for `optimal`. */
  readonly unobservedWeight: number;
  /** λ. */
  readonly ridge: number;
  readonly bounds: ProfileBounds;
  readonly rank: number;
  /**
   * β₁ and β₃: shares of a pass for the linear coefficients and for the counts; the quadratic ones get the
   * rest.
   */
  readonly shares: { readonly linear: number; readonly counts: number };
}

/**
 * Sums over the positives of each row: 2g = 2Σp, G = Σppᵀ (full, or upper triangle for `symmetric`) and their
 * number.
 */
export interface ProfileSums {
  /** rows × d. */
  readonly linear: Float64Array;
  /** rows × d², rows × d(d+1)/2 for `symmetric`, empty for `optimal`. */
  readonly quadratic: Float64Array;
  /** One per row, empty for `optimal`. */
  readonly counts: Float64Array;
}

/**
 * How far flipping one cell moves each sum in ℓ₁, for public other-side profiles with ‖p‖₁ ≤ C₁, ‖p‖₂ ≤ C₂:
 * 2g by 2C₁; G by ‖p‖₁² ≤ C₁² when all d² entries are noised, by (‖p‖₁² + ‖p‖₂²)/2 ≤ (C₁² + min(C₁, C₂)²)/2
 * when only the upper triangle is; the number by 1. The complementary loss multiplies G and the number by
 * 1 − α₀ afterwards.
 */
export function profileSensitivities({ variant, bounds }: ProfileLoss) {
  const { l1, l2 } = bounds;
  const triangle = (l1 * l1 + Math.min(l1, l2) ** 2) / 2;
  return { linear: 2 * l1, quadratic: variant === 'symmetric' ? triangle : l1 * l1, counts: 1 };
}

/**
 * The releases of `rounds` passes over one side. A cell lies in one row, so all rows together cost one
 * release a pass. `strawman` noises all coefficients at the scale of their common ℓ₁ sensitivity
 * 2C₁ + C₁² + 1; the others split. `unproven` marks the printed method, whose bounds come from the private
 * data: noise relative to them, no guarantee.
 */
export function planProfiles(
  side: string,
  loss: ProfileLoss,
  rounds: number,
  share: number,
  unproven?: string,
): PlannedRelease[] {
  const moves = profileSensitivities(loss);
  const { shares } = loss;
  const line = (what: string, sensitivity: number, part: number): PlannedRelease => ({
    name: `${side}-${what}`,
    mechanism: { kind: 'laplace' },
    count: rounds,
    share: share * part,
    ...(unproven === undefined
      ? { sensitivity }
      : { sensitivity: 1, perPart: true, proved: { nothingBecause: unproven } }),
  });
  switch (loss.variant) {
    case 'strawman':
      return [line('coefficients', moves.linear + moves.quadratic + moves.counts, 1)];
    case 'complementary':
    case 'symmetric':
      return [
        line('linear', moves.linear, shares.linear),
        line('quadratic', moves.quadratic, 1 - shares.linear - shares.counts),
        line('counts', moves.counts, shares.counts),
      ];
    case 'optimal':
      return [line('linear', moves.linear, 1)];
    default:
      return loss.variant satisfies never;
  }
}

/**
 * Exact sums in whole grid units: 2·step for `linear`, step² for `quadratic`, 1 for `counts`.
 * O(entries · d²).
 */
export function profileSums(
  positives: Csr,
  fixed: GridProfiles,
  variant: LossVariant,
  weights?: Float64Array,
): ProfileSums {
  const { width, units } = fixed;
  const packed = variant === 'symmetric' ? (width * (width + 1)) / 2 : width * width;
  const linear = new Float64Array(positives.rowCount * width);
  const quadratic = new Float64Array(variant === 'optimal' ? 0 : positives.rowCount * packed);
  const counts = new Float64Array(variant === 'optimal' ? 0 : positives.rowCount);
  for (let row = 0; row < positives.rowCount; row++) {
    const end = positives.offsets[row + 1];
    for (let at = positives.offsets[row]; at < end; at++) {
      const p = positives.indices[at] * width;
      const weight = weights ? weights[at] : 1;
      if (weight === 0) continue;
      for (let a = 0; a < width; a++) linear[row * width + a] += Math.trunc(weight * units[p + a]);
      if (variant === 'optimal') continue;
      let k = row * packed;
      for (let a = 0; a < width; a++) {
        for (let c = variant === 'symmetric' ? a : 0; c < width; c++)
          quadratic[k++] += units[p + a] * units[p + c];
      }
      counts[row]++;
    }
  }
  return { linear, quadratic, counts };
}

/** Noises the sums of one pass, whose declared sensitivities are `moves`, and returns them in real units. */
export async function releaseProfileSums(
  recorder: ReleaseRecorder,
  side: string,
  sums: ProfileSums,
  fixed: GridProfiles,
  variant: LossVariant,
  moves: { readonly linear: number; readonly quadratic: number; readonly counts: number },
): Promise<ProfileSums> {
  const linear = sensitive(sums.linear, 'l1', moves.linear);
  const quadratic = sensitive(sums.quadratic, 'l1', moves.quadratic);
  const counts = sensitive(sums.counts, 'l1', moves.counts);
  const steps = { linear: 2 * fixed.step, quadratic: fixed.step ** 2, counts: 1 };
  if (variant === 'strawman') {
    const release = recorder.begin(`${side}-coefficients`);
    const noisy = {
      linear: await release.add(0, linear, steps.linear),
      quadratic: await release.add(1, quadratic, steps.quadratic),
      counts: await release.add(2, counts, steps.counts),
    };
    release.close();
    return noisy;
  }
  const single = async (what: string, statistic: typeof linear, step: number) => {
    const release = recorder.begin(`${side}-${what}`);
    const noisy = await release.add(0, statistic, step);
    release.close();
    return noisy;
  };
  const noisyLinear = await single('linear', linear, steps.linear);
  if (variant === 'optimal') return { ...sums, linear: noisyLinear };
  return {
    linear: noisyLinear,
    quadratic: await single('quadratic', quadratic, steps.quadratic),
    counts: await single('counts', counts, steps.counts),
  };
}
