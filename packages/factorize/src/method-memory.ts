import type { ItemEnergies } from './item-noise.js';

/**
 * What a run leaves for the next one on the same people: functions of what was released so far, of settings
 * and of public randomness, and of nothing else. Publishing it costs no privacy beyond that of its runs.
 */
export interface MethodMemory {
  readonly figures: Readonly<Record<string, number>>;
  /** Items by rows, as many numbers for each; a row of zeros says that nothing is known of the item. */
  readonly byItem: Readonly<Record<string, Float32Array>>;
  readonly arrays: Readonly<Record<string, Float32Array>>;
}

/** The memory of earlier runs as a run gets it: in the order of its own items. */
export interface RecalledMemory extends MethodMemory {
  /**
   * 0 < kept ≤ 1: what is left of the weight of what is remembered, by public knowledge (how long ago it
   * was).
   */
  readonly kept: number;
}

/** Asks a run to leave a memory, and gives it the one of the runs before, where there are any. */
export interface Remembering {
  readonly before?: RecalledMemory;
}

/** What a run that was asked to remember made besides its model. */
export interface LeftMemory {
  readonly after: MethodMemory;
  /** It used what it was given; false where that no longer fitted, so that it began anew. */
  readonly isUsed: boolean;
  /** Noise on a count that is typically rated, with what is remembered of it. */
  readonly countNoise: number;
  /** Of vectors with what is remembered of them, in standard deviations of their noise. */
  readonly energies?: ItemEnergies;
}

/** Half of the weight of what was learned is left after so many days. */
const halfLife = 30;

/** What is left of the weight of what was learned so many days ago, in four digits; 1 to 365 days. */
export function keptAfter(days: number): number {
  return Number((2 ** (-Math.min(365, Math.max(1, days)) / halfLife)).toPrecision(4));
}
