import type { BaselineModel, FactorModel, PublishedUsers } from '@hushrec/model';
import type { Averages } from './averages.js';

/** r̂ = I_j + U_i: what the averages alone predict. Item bias is relative to the global average. */
export function baselineOf(averages: Averages, userShrinkage: number): BaselineModel {
  return {
    kind: 'baseline',
    feedback: 'explicit',
    offset: averages.global,
    itemBias: itemBiasOf(averages),
    userShrinkage,
    users: {
      ids: rowNames(averages.user.length),
      factors: new Float32Array(0),
      bias: Float32Array.from(averages.user),
    },
  };
}

/**
 * r̂ = I_j + U_i + u_i·v_j with both factor matrices public (Friedman et al. 2016, §4.1). Factors are
 * row-major.
 */
export function factorModelOf(
  averages: Averages,
  userFactors: Float64Array,
  itemFactors: Float64Array,
  settings: { readonly rank: number; readonly ridge: number; readonly userShrinkage: number },
): FactorModel {
  const users: PublishedUsers = {
    ids: rowNames(averages.user.length),
    factors: Float32Array.from(userFactors),
    bias: Float32Array.from(averages.user),
  };
  return {
    kind: 'factors',
    feedback: 'explicit',
    rank: settings.rank,
    itemFactors: Float32Array.from(itemFactors),
    itemBias: itemBiasOf(averages),
    offset: averages.global,
    foldIn: {
      ridge: settings.ridge,
      ridgeExponent: 1,
      interceptRidge: settings.userShrinkage,
      unobservedWeight: 0,
    },
    users,
  };
}

function itemBiasOf(averages: Averages): Float32Array {
  return Float32Array.from(averages.item, (average) => average - averages.global);
}

/**
 * Row numbers stand in for ids here; whoever publishes the model puts the data set's own ids in their place.
 */
export function rowNames(count: number): string[] {
  return Array.from({ length: count }, (_, row) => String(row));
}
