import type { RatingScale } from '../rating-matrix.js';
import type { EventReport } from './event-filter.js';

/** Rows of a source with ids replaced by their order of first appearance. What every reader hands on. */
export interface EncodedRows {
  readonly scale: RatingScale;
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
  readonly users: Uint32Array;
  readonly items: Uint32Array;
  readonly ratings: Float32Array;
  /** Seconds since 1970. */
  readonly times?: Float64Array;
  /** Rows refused and left out. */
  readonly badRows: number;
  /** Present where only some events were kept. */
  readonly events?: EventReport;
}
