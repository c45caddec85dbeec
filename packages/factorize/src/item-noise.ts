import { headPart, type NoiseOverSignal, tailPart } from '@hushrec/model/usefulness';
import type { ReleasedPart } from './watch-releases.js';

/**
 * What was last released item by item: so many numbers each, with noise of this standard deviation, and their
 * squared lengths.
 */
export interface ItemEnergies {
  readonly width: number;
  readonly noise: number;
  readonly energies: Float64Array;
}

/**
 * How much of what was released about items is noise, from released numbers alone: item j's k numbers z_j
 * carry noise of variance kσ², so ‖z_j‖² − kσ² estimates the energy of its signal without bias. Single items
 * are too noisy for that; groups are not.
 */
export class ItemNoise {
  readonly #itemCount: number;
  #release = '';
  #parts: { readonly part: number; readonly squares: Float64Array }[] = [];
  #last: ItemEnergies | undefined;

  constructor(itemCount: number) {
    this.#itemCount = itemCount;
  }

  /**
   * Keeps the latest release that has the same number of values for every item; vectors go before single
   * values.
   */
  readonly watch = (released: ReleasedPart): void => {
    if (released.layout.kind !== 'vector') return;
    if (released.release !== this.#release || released.part === 0) {
      this.#release = released.release;
      this.#parts = [];
    }
    this.#parts.push({ part: released.part, squares: released.values.map((value) => value * value) });
    const total = this.#parts.reduce((sum, { squares }) => sum + squares.length, 0);
    const width = total / this.#itemCount;
    if (!Number.isInteger(width) || width < 1 || width < Math.min(2, this.#last?.width ?? 0)) return;
    const energies = new Float64Array(this.#itemCount);
    let at = 0;
    for (const { squares } of this.#parts.sort((a, b) => a.part - b.part))
      for (const square of squares) energies[Math.floor(at++ / width)] += square;
    this.#last = { width, noise: released.noise, energies };
  };

  /** What is kept; undefined where the method releases nothing item by item. */
  get last(): ItemEnergies | undefined {
    return this.#last;
  }
}

/**
 * √(noise energy / signal energy) of groups of items, `groupOf` giving each item's group; null where no
 * signal can be told from noise.
 */
export function noiseToSignal(
  { width, noise, energies }: ItemEnergies,
  groupOf: Uint8Array,
  groups: number,
): (number | null)[] {
  const noiseEnergy = new Float64Array(groups);
  const total = new Float64Array(groups);
  for (let item = 0; item < energies.length; item++) {
    noiseEnergy[groupOf[item]] += width * noise * noise;
    total[groupOf[item]] += energies[item];
  }
  return Array.from(total, (energy, group) =>
    energy > noiseEnergy[group] ? Math.sqrt(noiseEnergy[group] / (energy - noiseEnergy[group])) : null,
  );
}

/**
 * Noise over signal of what was released about the most counted items and the least counted ones. Which these
 * are is taken from released counts: their noise is independent of that of later releases, so lucky items are
 * not taken for strong ones.
 */
export function noiseByPopularity(seen: ItemEnergies, releasedCounts: ArrayLike<number>): NoiseOverSignal {
  const items = seen.energies.length;
  const order = Array.from({ length: items }, (_, item) => item).sort(
    (a, b) => releasedCounts[b] - releasedCounts[a] || a - b,
  );
  const groupOf = new Uint8Array(items).fill(2);
  for (const item of order.slice(0, Math.ceil(items * headPart))) groupOf[item] = 0;
  for (const item of order.slice(Math.max(Math.ceil(items * headPart), Math.floor(items * (1 - tailPart)))))
    groupOf[item] = 1;
  const [head, tail] = noiseToSignal(seen, groupOf, 3);
  return { head: head, tail: tail };
}
