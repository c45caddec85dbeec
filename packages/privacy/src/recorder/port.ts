import type { PrivacyEvent } from '../event.js';
import type { SparseCells } from '../mechanisms/thresholded-laplace.js';
import type { CalibratedPlan, PlannedRelease } from '../plan/release-plan.js';
import type { Sensitive } from './sensitive.js';

/** How the coordinates of a part are laid out, hence which noise each one gets. */
export type NoiseLayout =
  /** Independent noise of the planned scale on every coordinate. */
  | { readonly kind: 'vector' }
  /**
   * Packed upper triangles of d × d symmetric matrices: full scale on the diagonal, scale/√2 off it (GOE), so
   * that the guarantee is against the Frobenius norm of the full matrix, in which sensitivity is stated.
   */
  | { readonly kind: 'symmetric'; readonly width: number }
  /**
   * Many vectors of the planned dimension, one after another, each with noise of its own (K-norm), of which a
   * unit of privacy touches one. On a `perPart` line `sensitivities` gives each vector's own bound, from
   * public knowledge.
   */
  | { readonly kind: 'vectors'; readonly sensitivities?: Float64Array };

/** A row of cells of which only those that stand out are released. */
export interface ThresholdedRow {
  readonly gridStep: number;
  readonly columnCount: number;
  readonly threshold: number;
  readonly clampTo: number;
}

/**
 * One release in the making. A release may consist of many disjoint parts (blocks of items, single vectors);
 * all parts together cost what the plan says, once.
 */
export interface OpenRelease {
  readonly name: string;
  /** Standard deviation or scale in the unit of the planned sensitivity; 0 in a run without privacy. */
  readonly noise: number;
  /**
   * Returns statistic + noise in real units. `values` of the statistic are whole numbers of `gridStep`s, so
   * that noise on the same grid leaves no trace of the exact value in low-order bits. `part` keys the noise:
   * each part number is used once per release, and a resumed run re-creates the same noise for it. With
   * `overwrite` the result may take the place of the statistic, which saves memory; nobody may use the
   * statistic again.
   */
  add(
    part: number,
    statistic: Sensitive<Float64Array>,
    gridStep: number,
    layout?: NoiseLayout,
    options?: { readonly overwrite?: boolean },
  ): Promise<Float64Array>;
  /**
   * Randomised response: turns every bit over with probability 1/(1 + e^ε), ε = 1/noise. The statistic's L1
   * sensitivity is the number of bits that may differ between neighbours.
   */
  flip(part: number, bits: Sensitive<Uint8Array>): Promise<Uint8Array>;
  /**
   * The index of a nearly best score, by permute-and-flip. Scores are whole numbers of `gridStep`s; their
   * sensitivity is the largest change of any one score (norm `linf`). Once per release, because every
   * selection costs ε; on a `perPart` line once per part, parts being about different units.
   */
  select(part: number, scores: Sensitive<Float64Array>, gridStep: number): Promise<number>;
  /**
   * Laplace noise on all cells of a row, then only cells with |value| > threshold, limited to ±clampTo, in
   * real units; cells that are not given are zero. In time proportional to what is given and what survives.
   */
  thresholdedLaplace(part: number, cells: Sensitive<SparseCells>, row: ThresholdedRow): Promise<SparseCells>;
  /** Ends the release; nothing can be added any more. */
  close(): PrivacyEvent;
}

/** What was released, line by line, for the certificate. */
export interface PrivacyRecord {
  readonly plan: CalibratedPlan;
  readonly simulation: boolean;
  readonly releases: readonly {
    readonly name: string;
    readonly count: number;
    readonly event: PrivacyEvent;
  }[];
  readonly event: PrivacyEvent;
}

/**
 * Stands between statistics and the world: every release goes through it, must be in the plan, is recorded
 * before its noise is drawn, and gets the planned noise. `finish` fails when the record differs from the
 * plan.
 */
export interface ReleaseRecorder {
  /** The calibrated plan, with the lines of every stage so far. */
  readonly plan: CalibratedPlan;
  /** A seed was used: the noise can be recomputed, nothing is protected. */
  readonly simulation: boolean;
  /**
   * Adds the lines of the next stage of a plan in stages, which from then on are in `plan`. They must follow
   * from settings, public shape and earlier releases alone: the run is repeated without people, and must ask
   * for the same.
   *
   * @throws ReleasePlanError beyond the declared envelope or the total
   */
  stage(lines: readonly PlannedRelease[]): void;
  begin(name: string): OpenRelease;
  finish(): PrivacyRecord;
}
