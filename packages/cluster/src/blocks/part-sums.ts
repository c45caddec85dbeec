import { BlockError } from './block.js';
import { Coverage } from './coverage.js';
import { addExactly, decodePart } from './partial-sums.js';

/** A piece of a sum, and which blocks are in it. */
export interface PartSum {
  readonly covered: Coverage;
  readonly values: Float64Array;
}

/** Adds pieces of sums by their keys: in a reducer on the cluster, or where the sum is asked for. */
export class PartSums {
  readonly #blockCount: number;
  readonly #sums = new Map<string, PartSum>();

  constructor(blockCount: number) {
    this.#blockCount = blockCount;
  }

  /**
   * Takes a row of (key, covered blocks, numbers).
   *
   * @throws BlockError where a block is in it twice, InexactSumError where a sum reaches 2⁵³
   */
  add([key, covered, encoded]: readonly string[]): void {
    const own = new Coverage(this.#blockCount, new Uint8Array(Buffer.from(covered, 'base64')));
    const values = decodePart(encoded);
    const before = this.#sums.get(key);
    if (before === undefined) {
      this.#sums.set(key, { covered: own, values });
      return;
    }
    before.covered.join(own);
    if (values.length !== before.values.length) throw new BlockError('Pieces of one sum have two lengths.');
    addExactly(before.values, values);
  }

  /** Gives a piece away: whoever asks again does not find it. */
  take(key: string): PartSum | undefined {
    const sum = this.#sums.get(key);
    this.#sums.delete(key);
    return sum;
  }

  get size(): number {
    return this.#sums.size;
  }

  [Symbol.iterator](): MapIterator<[string, PartSum]> {
    return this.#sums.entries();
  }
}
