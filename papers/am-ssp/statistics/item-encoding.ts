import type { FactorMatrix } from '@hushrec/numerics';

/**
 * v_j = Σ_k x_jk θ_k: every token has a vector, an item is their weighted sum. Tokens of item j are those
 * from offsets[j] on. Public features alone: gradients of what is linear do not depend on θ.
 */
export interface LinearEncoding {
  readonly kind: 'linear';
  readonly width: number;
  readonly tokenCount: number;
  readonly offsets: Uint32Array;
  readonly tokens: Uint32Array;
  readonly values: Float32Array;
}

/**
 * v_j = Wᵀ [Σ_k x_jk E¹_k ; … ; Σ_k x_jk E^F_k]: entries of item j are those from offsets[j] on; each says
 * where in θ the token's row begins, and where in the hidden layer it goes. θ holds the tables E, then W.
 * Public features and released θ.
 */
export interface BagEncoding {
  readonly kind: 'bag';
  readonly width: number;
  /** e: numbers in a row of a table. */
  readonly embedding: number;
  /** F·e. */
  readonly hidden: number;
  /** Where in θ W begins. */
  readonly denseAt: number;
  readonly offsets: Uint32Array;
  readonly rowAt: Uint32Array;
  readonly hiddenAt: Uint32Array;
  readonly values: Float32Array;
  readonly parameters: Float32Array;
}

/**
 * How item vectors follow from parameters θ and public features, as people are told it: enough to take
 * gradients back to θ.
 */
export type ItemEncoding = LinearEncoding | BagEncoding;

/** How many numbers θ has. */
export function parameterCount(encoding: ItemEncoding): number {
  return encoding.kind === 'linear' ? encoding.tokenCount * encoding.width : encoding.parameters.length;
}

/** The first `count` entries: tokens, each once, and their sums. Arrays are used again by the next call. */
export interface TokenSums {
  readonly tokens: Uint32Array;
  readonly sums: Float64Array;
  readonly count: number;
}

/**
 * Sums over tokens: the gradient of Σ_j e_j v_j·u with respect to θ is (Σ_j e_j x_j) ⊗ u where v_j is linear
 * in θ, so that this is all there is to know of it, d times less than the gradient itself.
 */
export class TokenSummer {
  readonly #encoding: LinearEncoding;
  /** Per token, the last call that met it, and where in the list it stands. */
  readonly #met: Uint32Array;
  readonly #place: Uint32Array;
  readonly #list: Uint32Array;
  readonly #sums: Float64Array;
  #calls = 0;

  constructor(encoding: LinearEncoding) {
    this.#encoding = encoding;
    this.#met = new Uint32Array(encoding.tokenCount);
    this.#place = new Uint32Array(encoding.tokenCount);
    this.#list = new Uint32Array(encoding.tokenCount);
    this.#sums = new Float64Array(encoding.tokenCount);
  }

  /** Σ_j e_j x_j; `errors[at]` belongs to `items[at]`. O(tokens of the items). */
  sum(items: Uint32Array, errors: Float64Array): TokenSums {
    const call = ++this.#calls;
    const [met, place, list, sums] = [this.#met, this.#place, this.#list, this.#sums];
    const { offsets, tokens, values } = this.#encoding;
    let count = 0;
    for (let k = 0; k < items.length; k++) {
      const error = errors[k];
      const end = offsets[items[k] + 1];
      for (let at = offsets[items[k]]; at < end; at++) {
        const token = tokens[at];
        if (met[token] === call) {
          sums[place[token]] += error * values[at];
          continue;
        }
        met[token] = call;
        place[token] = count;
        list[count] = token;
        sums[count++] = error * values[at];
      }
    }
    return { tokens: list, sums, count };
  }
}

/** Forward and backward through a `BagEncoding`. O(Σ tokens·e + F·e·d) an item. */
export class BagLayers {
  readonly #encoding: BagEncoding;
  readonly #hidden: Float32Array;
  readonly #hiddenGradient: Float32Array;
  /** Per row of the tables, the last call of `rangesOf` that met it. */
  readonly #met: Uint32Array;
  #calls = 0;

  constructor(encoding: BagEncoding) {
    this.#encoding = encoding;
    this.#hidden = new Float32Array(encoding.hidden);
    this.#hiddenGradient = new Float32Array(encoding.hidden);
    this.#met = new Uint32Array(encoding.denseAt / encoding.embedding);
  }

  /** Writes v_j to row j of `out`. */
  encode(item: number, out: FactorMatrix): void {
    const { width, parameters, denseAt } = this.#encoding;
    const { data } = out;
    const hidden = this.#hidden;
    this.#fillHidden(item);
    const to = item * width;
    for (let a = 0; a < width; a++) data[to + a] = 0;
    for (let h = 0, at = denseAt; h < hidden.length; h++, at += width) {
      const value = hidden[h];
      if (value === 0) continue;
      for (let a = 0; a < width; a++) data[to + a] += value * parameters[at + a];
    }
  }

  /** Adds (∂v_j/∂θ)ᵀ g_j to `gradient`; g_j is row j of `outputs`. */
  addGradient(item: number, outputs: FactorMatrix, gradient: Float32Array): void {
    const { width, parameters, denseAt } = this.#encoding;
    const { data } = outputs;
    const hidden = this.#hidden;
    const hiddenGradient = this.#hiddenGradient;
    this.#fillHidden(item);
    const from = item * width;
    for (let h = 0, at = denseAt; h < hidden.length; h++, at += width) {
      const value = hidden[h];
      let back = 0;
      for (let a = 0; a < width; a++) {
        const g = data[from + a];
        gradient[at + a] += value * g;
        back += parameters[at + a] * g;
      }
      hiddenGradient[h] = back;
    }
    this.#scatter(item, gradient);
  }

  /** Ranges (begin, length, begin, length, …) of θ that these items' vectors depend on, each once. */
  rangesOf(items: Uint32Array): readonly number[] {
    const { embedding, offsets, rowAt, denseAt, parameters } = this.#encoding;
    const call = ++this.#calls;
    const ranges = [denseAt, parameters.length - denseAt];
    for (const item of items) {
      for (let at = offsets[item]; at < offsets[item + 1]; at++) {
        const row = rowAt[at] / embedding;
        if (this.#met[row] === call) continue;
        this.#met[row] = call;
        ranges.push(rowAt[at], embedding);
      }
    }
    return ranges;
  }

  #fillHidden(item: number): void {
    const { embedding, parameters, offsets, rowAt, hiddenAt, values } = this.#encoding;
    const hidden = this.#hidden;
    for (let h = 0; h < hidden.length; h++) hidden[h] = 0;
    const end = offsets[item + 1];
    for (let at = offsets[item]; at < end; at++) {
      const from = rowAt[at];
      const to = hiddenAt[at];
      const value = values[at];
      for (let a = 0; a < embedding; a++) hidden[to + a] += value * parameters[from + a];
    }
  }

  #scatter(item: number, gradient: Float32Array): void {
    const { embedding, offsets, rowAt, hiddenAt, values } = this.#encoding;
    const hiddenGradient = this.#hiddenGradient;
    const end = offsets[item + 1];
    for (let at = offsets[item]; at < end; at++) {
      const to = rowAt[at];
      const from = hiddenAt[at];
      const value = values[at];
      for (let a = 0; a < embedding; a++) gradient[to + a] += value * hiddenGradient[from + a];
    }
  }
}
