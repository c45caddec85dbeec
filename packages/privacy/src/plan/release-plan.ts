import type { PrivacyEvent } from '../event.js';
import type { PrivacyUnit, Relation } from '../privacy-unit.js';
import type { DeltaInput, EpsilonInput } from '../units.js';
import type { StageEnvelope } from './stages.js';

/** The family of noise of one planned release. */
export type PlannedMechanism =
  | { readonly kind: 'gaussian' }
  | { readonly kind: 'laplace' }
  | { readonly kind: 'k-norm'; readonly dimension: number }
  | { readonly kind: 'pure'; readonly mechanism: string }
  | { readonly kind: 'poisson-sampled-gaussian'; readonly rate: number };

/** One line of a plan: `count` releases of one kind, known before any data is read. */
export interface PlannedRelease {
  /**
   * A stable label: it keys the noise and stands in certificates. Lower-case words joined by hyphens, like
   * `item-counts` or `item-vectors-round-2`. Unique within a plan.
   */
  readonly name: string;
  readonly mechanism: PlannedMechanism;
  /** Norm bound the noise is calibrated to, from settings alone, never from the data. */
  readonly sensitivity: number;
  /** How many times this is released with this noise; they compose. */
  readonly count: number;
  /**
   * Share of the whole budget that all `count` releases of this line get together: of μ² for Gaussian
   * plans, of ε for pure plans. Shares of a plan sum to 1.
   */
  readonly share: number;
  /**
   * Only for a paper's method run as printed, where its sensitivity is not a bound. The noise is then
   * calibrated to `sensitivity` as the paper says, and accounted by what is true: a larger sensitivity, or no
   * guarantee.
   */
  readonly proved?: { readonly sensitivity: number } | { readonly nothingBecause: string };
  /**
   * The release consists of parts (vectors of single items, say) of which a unit of privacy touches one, each
   * with a sensitivity of its own from public knowledge. Then `sensitivity` and `noise` of this line are
   * relative: a part of declared sensitivity s gets noise s·noise/sensitivity.
   */
  readonly perPart?: boolean;
}

/** Everything a method will release for given settings, and whom that is meant to protect. */
export interface ReleasePlan {
  readonly unit: PrivacyUnit;
  readonly relation: Relation;
  /** What leaves the curator, in words: "item vectors and biases". */
  readonly released: string;
  /** All releases, or with `later` those of the first stage. */
  readonly releases: readonly PlannedRelease[];
  /**
   * Later stages: their lines follow from settings, public shape and earlier releases by the method's own
   * rule, within this envelope and within the total (`planStage`). Shares of the first stage then sum to less
   * than 1. Gaussian lines only.
   */
  readonly later?: StageEnvelope;
  /** Where the paper claims more than is proved: its claim, and why it differs. */
  readonly claimedByPaper?: { readonly claim: string; readonly why: string };
}

/** A planned release with its noise fixed: `event` is what one of the `count` releases costs. */
export interface CalibratedRelease extends PlannedRelease {
  /** Standard deviation (Gaussian) or scale (Laplace, K-norm), in the unit of `sensitivity`. */
  readonly noise: number;
  readonly event: PrivacyEvent;
}

export interface CalibratedPlan extends Omit<ReleasePlan, 'releases'> {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly accountant: string;
  readonly releases: readonly CalibratedRelease[];
  /** Of a plan with later stages: the budget that all stages share, and how many lines the first one has. */
  readonly total?: { readonly mu: number; readonly firstStage: number };
}
