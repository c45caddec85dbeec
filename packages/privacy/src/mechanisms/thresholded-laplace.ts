import type { WordStream } from '../random/word-stream.js';
import { DiscreteLaplace, geometricOfScale, laplaceRatio } from '../samplers/discrete-laplace.js';
import { divide, multiply, ONE } from '../samplers/fixed-point.js';
import { Geometric } from '../samplers/geometric.js';

/** Cells of one row that are not zero; columns ascend. */
export interface SparseCells {
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/**
 * Laplace noise on every cell of a long, mostly empty row, of which only cells beyond a threshold are kept,
 * without visiting the empty ones (input perturbation, Friedman et al. 2016 §4.2, unbounded). The law is
 * exactly that of the dense computation:
 *
 * - an empty cell survives |x| ≥ k with p = 2qᵏ/(1 + q), q = e^(−1/t), independently, so the number of empty
 * cells skipped before the next survivor is geometric of ratio 1 − p;
 * - a survivor's magnitude is k plus a geometric of ratio q (no memory), its sign is fair.
 *
 * Thresholding is post-processing, so the row costs Δ₁/t as dense Laplace noise does. O(cells + survivors).
 */
export class ThresholdedLaplace {
  readonly #noise: DiscreteLaplace;
  readonly #least: number;
  readonly #gap: Geometric;
  readonly #excess: Geometric;

  /** `scale` t and `least` k ≥ 1, both in grid steps. */
  constructor(scale: number, least: number) {
    if (!(Number.isInteger(least) && least >= 1))
      throw new RangeError(`The threshold must be at least one grid step; got ${least}.`);
    const q = laplaceRatio(scale);
    let power = ONE;
    for (let bits = BigInt(least), square = q; bits > 0n; bits >>= 1n, square = multiply(square, square)) {
      if (bits & 1n) power = multiply(power, square);
    }
    this.#noise = new DiscreteLaplace(scale);
    this.#least = least;
    this.#gap = new Geometric(ONE - divide(2n * power, ONE + q));
    this.#excess = geometricOfScale(scale);
  }

  /** Values in grid steps; the surviving cells of one row, columns ascending. */
  release(
    cells: SparseCells,
    columnCount: number,
    stream: WordStream,
  ): { columns: number[]; values: number[] } {
    const columns: number[] = [];
    const values: number[] = [];
    const keep = (column: number, value: number): void => {
      columns.push(column);
      values.push(value);
    };
    const present = cells.columns.length;
    let next = 0;
    // `column` runs over surviving empty cells: `rank` counts empty cells, `next` the present ones passed on
    // the way.
    for (let rank = this.#gap.draw(stream); ; rank += 1 + this.#gap.draw(stream)) {
      let column = rank + next;
      while (next < present && cells.columns[next] <= column) {
        const value = cells.values[next] + this.#noise.draw(stream);
        if (Math.abs(value) >= this.#least) keep(cells.columns[next], value);
        next++;
        column++;
      }
      if (column >= columnCount) return { columns, values };
      const magnitude = this.#least + this.#excess.draw(stream);
      keep(column, stream.next() & 1 ? magnitude : -magnitude);
    }
  }
}
