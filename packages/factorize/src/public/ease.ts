import {
  type Csr,
  invertPositiveDefinite,
  NotPositiveDefiniteError,
  smallProduct,
  transpose,
} from '@hushrec/numerics';
import { defineMethod } from '../define-method.js';
import { eachRound } from '../each-round.js';
import { within } from '../search-space.js';
import type { SettingsSchema } from '../settings.js';
import { itemCounts } from '../shared/averages.js';
import type { NearestItems } from '../shared/item-similarity.js';
import { planWithoutPrivacy } from '../without-privacy.js';

/** The most items: 12 bytes × items² are 2.9 GiB then, and the model's file stays below 2 GiB. */
const mostItems = 16_000;

const schema = {
  ridge: {
    type: 'number',
    default: 300,
    min: 1e-3,
    max: 1e9,
    description: 'λ on the diagonal of XᵀX; larger where there are more people.',
  },
  neighbours: {
    type: 'integer',
    default: mostItems,
    min: 1,
    max: mostItems,
    description: 'Weights kept per item, those of the largest size; all of them unless it is set.',
  },
} as const satisfies SettingsSchema;

/** The catalogue is too large for a dense item–item matrix. */
export class CatalogueSizeError extends RangeError {
  override readonly name = 'CatalogueSizeError';
  readonly kind = 'usage';
  readonly itemCount: number;
  constructor(itemCount: number) {
    super(
      `ease on ${itemCount} items takes ${gibibytes(itemCount)} GiB for its item–item weights; expected at most ${mostItems} items ` +
        `(${gibibytes(mostItems)} GiB). Use ials, or keep the most popular items only.`,
    );
    this.itemCount = itemCount;
  }
}

/** Memory in all: half a matrix in float64, and 8 bytes for each weight of the model. */
function gibibytes(itemCount: number): string {
  return ((12 * itemCount ** 2) / 2 ** 30).toFixed(1);
}

/**
 * EASE (Steck 2019, "Embarrassingly Shallow Autoencoders for Sparse Data"): every item is predicted from all
 * others by ridge regression, in one closed form. With X the 0/1 matrix of people and items,
 *
 *   min ‖X − XB‖² + λ‖B‖² with diag B = 0:        P = (XᵀX + λI)⁻¹,   B_lj = −P_lj / P_jj for l ≠ j
 *
 * and a person's score of item j is Σ_l B_lj over their own items l. Ratings count as "observed" whatever
 * their value. O(Σ_i n_i² + items³/2) time and 12 bytes × items² of memory, 8 of them in the model.
 */
export const ease = defineMethod({
  id: 'ease',
  title: 'Shallow autoencoder of items (EASE)',
  paper: 'Steck 2019',
  feedback: ['implicit'],
  protects: [],
  settings: schema,
  needs: 'ratings',
  search: { ridge: within(8) },
  plan(_settings, { itemCount }) {
    if (itemCount > mostItems) throw new CatalogueSizeError(itemCount);
    return planWithoutPrivacy('exact item–item weights and item counts');
  },
  async train({ ratings, settings, progress, signal }) {
    const { byUser } = ratings;
    const inverse = regularizedGramian(byUser, settings.ridge); // XᵀX + λI
    for (const step of eachRound(inverse.count, { progress, signal })) {
      sweep(inverse, step); // −P after the last step
      await new Promise((resolve) => setTimeout(resolve)); // lets `signal` be heard
    }
    return {
      model: {
        kind: 'neighbours',
        feedback: 'implicit',
        ...largestWeights(inverse, ratings.itemCount, settings.neighbours),
        offset: 0,
        userShrinkage: 0,
        popularity: itemCounts(byUser),
      },
    };
  },
});

/** Rows and columns of a tile: three of them fit into the cache of a core. */
const width = 128;

/** A symmetric matrix in tiles of `width` × `width`, of which those on and above the diagonal are kept. */
interface SymmetricTiles {
  /** Tiles in a row. */
  readonly count: number;
  /** tiles[row][column − row], column ≥ row. */
  readonly tiles: readonly (readonly Float64Array[])[];
}

/** XᵀX + λI for the 0/1 matrix X of what was chosen; rows that only fill the last tile are those of I. */
function regularizedGramian(rows: Csr, ridge: number): SymmetricTiles {
  const items = rows.columnCount;
  const count = Math.max(1, Math.ceil(items / width));
  const tiles = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count - row }, () => new Float64Array(width * width)),
  );
  const byItem = transpose(rows);
  const common = new Float64Array(count * width); // one row of XᵀX
  for (let item = 0; item < items; item++) {
    common.fill(0);
    common[item] = ridge;
    for (let a = byItem.offsets[item]; a < byItem.offsets[item + 1]; a++) {
      const person = byItem.indices[a];
      for (let b = rows.offsets[person]; b < rows.offsets[person + 1]; b++) common[rows.indices[b]]++;
    }
    const row = Math.floor(item / width);
    for (let column = row; column < count; column++) {
      const part = common.subarray(column * width, (column + 1) * width);
      tiles[row][column - row].set(part, (item % width) * width);
    }
  }
  for (let item = items; item < count * width; item++) tiles[count - 1][0][(item % width) * (width + 1)] = 1;
  return { count, tiles };
}

/**
 * One step of inversion, in place: sweeps the rows K of one tile (Goodnight 1979), which with P = A_KK⁻¹
 * makes
 *
 *   A_KK ← −P,   A_iK ← A_iK P,   A_ij ← A_ij − A_iK P A_Kj
 *
 * so that all of them make −A⁻¹. What is not swept yet stays positive definite. items² · width/2
 * multiply-adds.
 *
 * @throws NotPositiveDefiniteError
 */
function sweep({ count, tiles }: SymmetricTiles, pivot: number): void {
  const inverse = tiles[pivot][0].slice();
  if (!invertPositiveDefinite(inverse, width)) throw new NotPositiveDefiniteError(pivot * width);
  const negative = inverse.map((value) => -value);
  /** A_Kj as it was. */
  const across = Array.from({ length: count }, (_, j) =>
    j < pivot ? transposed(tiles[j][pivot - j]) : tiles[pivot][j - pivot].slice(),
  );
  const left = new Float64Array(width * width); // −A_iK P
  for (let i = 0; i < count; i++) {
    if (i === pivot) continue;
    smallProduct(left, across[i], negative, width, width, width, { left: 'transposed' });
    for (let j = i; j < count; j++) {
      if (j === pivot) continue;
      smallProduct(tiles[i][j - i], left, across[j], width, width, width, { onto: true });
    }
    const own = left.map((value) => -value);
    if (i < pivot) tiles[i][pivot - i].set(own);
    else tiles[pivot][i - pivot].set(transposed(own));
  }
  tiles[pivot][0].set(negative);
}

function transposed(tile: Float64Array): Float64Array {
  const out = new Float64Array(tile.length);
  for (let row = 0; row < width; row++)
    for (let column = 0; column < width; column++) out[column * width + row] = tile[row * width + column];
  return out;
}

/**
 * For each item j the B_lj = −P_lj / P_jj of the largest size, at most `most`, in the order of items; zeros
 * are left out, and −1 pads. The sign of P does not matter.
 */
function largestWeights({ tiles }: SymmetricTiles, items: number, most: number): NearestItems {
  const k = Math.max(1, Math.min(most, items - 1));
  const neighbours = new Int32Array(items * k).fill(-1);
  const similarities = new Float32Array(items * k);
  const weights = new Float32Array(items);
  const entry = (row: number, column: number) =>
    tiles[Math.floor(row / width)][Math.floor(column / width) - Math.floor(row / width)][
      (row % width) * width + (column % width)
    ];
  for (let item = 0; item < items; item++) {
    const own = entry(item, item);
    for (let other = 0; other < items; other++)
      weights[other] = other === item ? 0 : -entry(Math.min(item, other), Math.max(item, other)) / own;
    // Sizes above the k-th largest are kept, and so many of that very size as there is room for.
    const sizes = weights.map(Math.abs).sort();
    const least = sizes[items - k];
    let room = k - (items - 1 - sizes.lastIndexOf(least));
    let place = item * k;
    for (let other = 0; other < items; other++) {
      const size = Math.abs(weights[other]);
      if (size === 0 || size < least || (size === least && room-- <= 0)) continue;
      neighbours[place] = other;
      similarities[place++] = weights[other];
    }
  }
  return { k, neighbours, similarities };
}
