/** One short list per item of the most similar items seen so far, best first. Memory: rows · k. */
export class NearestLists {
  /** rows × k; −1 pads. */
  readonly neighbours: Int32Array;
  /** rows × k; 0 pads. */
  readonly values: Float64Array;
  readonly #k: number;
  readonly #counts: Uint32Array;

  constructor(rows: number, k: number) {
    this.#k = k;
    this.neighbours = new Int32Array(rows * k).fill(-1);
    this.values = new Float64Array(rows * k);
    this.#counts = new Uint32Array(rows);
  }

  /**
   * Enters `item` into the list of `row` if it is similar (above 0) and among the k best; at equal value the
   * earlier offer stays ahead. O(k) at worst.
   */
  offer(row: number, item: number, value: number): void {
    if (!(value > 0)) return;
    const { neighbours, values } = this;
    const begin = row * this.#k;
    const count = this.#counts[row];
    if (count === this.#k && value <= values[begin + count - 1]) return;
    let place = begin + (count < this.#k ? count : count - 1);
    if (count < this.#k) this.#counts[row]++;
    while (place > begin && values[place - 1] < value) {
      values[place] = values[place - 1];
      neighbours[place] = neighbours[place - 1];
      place--;
    }
    values[place] = value;
    neighbours[place] = item;
  }
}
