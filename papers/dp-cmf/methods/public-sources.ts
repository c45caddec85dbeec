import {
  type Csr,
  type Engine,
  type FactorMatrix,
  packedLength,
  type Side,
  sharedFloat32,
  solveSide,
  transpose,
  zeroFactors,
} from '@hushrec/numerics';
import type { FeatureSource } from '@hushrec/ratings';
import type { ItemSolve } from '../../shared/item-step.js';
import { multiplesByName, type PublicSourceSettings } from './public-source-settings.js';

/** One public matrix S with items as columns: rows are tokens, items or public people. */
export interface PublicMatrix {
  readonly rows: Csr;
  readonly byItem: Csr;
  /** α. */
  readonly weight: number;
  /** λ′, as it stands in the solve of f_k. */
  readonly ridge: number;
  /** Weight of absent entries; > 0 makes the loss implicit. */
  readonly unobservedWeight: number;
  /** Public ratings are centred like private ones. */
  readonly ratings: boolean;
}

/** The public matrices of these sources; a categorical source gives one per field. */
export function publicMatrices(
  features: readonly FeatureSource[],
  settings: PublicSourceSettings,
  feedback: 'explicit' | 'implicit',
): readonly PublicMatrix[] {
  const scaled = multiplesByName(settings);
  return features
    .flatMap((source): PublicMatrix[] => {
      switch (source.kind) {
        case 'categorical':
          return source.fields.map(({ name, byItem }) => ({
            rows: transpose(byItem),
            byItem,
            ...scaled(settings.tokenWeight, settings.tokenRidge, name, source.name),
            unobservedWeight: settings.featureUnobservedWeight,
            ratings: false,
          }));
        case 'similarity':
          return [
            {
              rows: source.byItem,
              byItem: transpose(source.byItem),
              ...scaled(settings.similarityWeight, settings.similarityRidge, source.name),
              unobservedWeight: 0,
              ratings: false,
            },
          ];
        case 'public-ratings': {
          const chosen = feedback === 'implicit';
          const rows = chosen ? withOnes(source.byUser) : source.byUser;
          return [
            {
              rows,
              byItem: transpose(rows),
              ...scaled(settings.publicRatingsWeight, settings.publicRatingsRidge, source.name),
              unobservedWeight: chosen ? settings.featureUnobservedWeight : 0,
              ratings: !chosen,
            },
          ];
        }
        default:
          return source satisfies never;
      }
    })
    .filter(({ weight }) => weight > 0);
}

function withOnes(rows: Csr): Csr {
  return { ...rows, values: sharedFloat32(rows.values.length).fill(1) };
}

/**
 * How public people’s ratings are centred: like private ones, so that both speak of the same item vectors.
 */
export interface PublicCentring {
  readonly offset: number;
  readonly interceptRidge?: number;
}

/**
 * Rows f_k of one public matrix given item vectors: f_k = (Σ_j v_j v_jᵀ + α₀′ VᵀV + λ′I)⁻¹ Σ_j S_kj v_j
 * (Curmei et al. 2023, §3.1, with λ′ the effective ridge). A function of public data and released vectors.
 * O(entries × d² + rows × d³).
 */
async function solvePublicRows(
  engine: Engine,
  matrix: PublicMatrix,
  items: FactorMatrix,
  centring: PublicCentring,
): Promise<Side> {
  const { rows, ridge, unobservedWeight } = matrix;
  if (matrix.ratings) {
    return solveSide(engine, {
      rows,
      fixed: { factors: items },
      offset: centring.offset,
      ridge,
      ridgeExponent: 0,
      ...(centring.interceptRidge !== undefined && { interceptRidge: centring.interceptRidge }),
    });
  }
  const factors = zeroFactors(rows.rowCount, items.width);
  await engine.solveRows({
    rows,
    fixed: items,
    out: factors,
    ridge,
    ...(unobservedWeight > 0 && { unobservedWeight, gramian: await engine.gramian(items) }),
  });
  return { factors };
}

/**
 * What public matrices add to the item systems: α Σ_k f_k f_kᵀ and α Σ_k S_kj f_k of the rows k that item j
 * has, and α α₀′ FᵀF for all items where the loss is implicit. Exact, no noise, no privacy cost (Curmei et
 * al. 2023, Algorithm 1, line 10).
 *
 * @param scale multiplies everything: the scale of the private sums it is added to
 */
export async function publicItemSums(
  engine: Engine,
  matrices: readonly PublicMatrix[],
  items: FactorMatrix,
  centring: PublicCentring,
  scale: number,
): Promise<Pick<ItemSolve, 'added' | 'common'>> {
  const width = items.width;
  const sides: { matrix: PublicMatrix; side: Side }[] = [];
  let common: Float64Array | undefined;
  for (const matrix of matrices) {
    const side = await solvePublicRows(engine, matrix, items, centring);
    sides.push({ matrix, side });
    if (matrix.unobservedWeight === 0) continue;
    const gramian = await engine.gramian(side.factors);
    common ??= new Float64Array(width * width);
    for (let at = 0; at < common.length; at++) {
      common[at] += scale * matrix.weight * matrix.unobservedWeight * gramian[at];
    }
  }
  return {
    ...(common && { common }),
    added(begin, end) {
      const sums = {
        matrices: new Float64Array((end - begin) * packedLength(width)),
        vectors: new Float64Array((end - begin) * width),
      };
      for (const { matrix, side } of sides) addRows(matrix, side, centring, scale, begin, end, sums);
      return sums;
    },
  };
}

function addRows(
  { byItem, weight, ratings }: PublicMatrix,
  { factors, intercept }: Side,
  centring: PublicCentring,
  scale: number,
  begin: number,
  end: number,
  sums: { readonly matrices: Float64Array; readonly vectors: Float64Array },
): void {
  const { width, data } = factors;
  const triangle = packedLength(width);
  for (let item = begin; item < end; item++) {
    const vectorAt = (item - begin) * width;
    for (let entry = byItem.offsets[item]; entry < byItem.offsets[item + 1]; entry++) {
      const row = byItem.indices[entry];
      const target = ratings
        ? byItem.values[entry] - centring.offset - (intercept?.[row] ?? 0)
        : byItem.values[entry];
      const from = row * width;
      let at = (item - begin) * triangle;
      for (let a = 0; a < width; a++) {
        const scaled = scale * weight * data[from + a];
        sums.vectors[vectorAt + a] += target * scaled;
        for (let b = a; b < width; b++) sums.matrices[at++] += scaled * data[from + b];
      }
    }
  }
}
