import type { FactorModel } from '@hushrec/model';
import {
  type Csr,
  type Engine,
  type FactorMatrix,
  rowRidges,
  type Side,
  sharedFloat32,
  solveSide,
  zeroFactors,
} from '@hushrec/numerics';
import { gradesOf } from '@hushrec/statistics';

/** The item vectors of a model as the engine takes them. */
export function itemMatrix(model: FactorModel): FactorMatrix {
  return {
    rowCount: model.itemFactors.length / model.rank,
    width: model.rank,
    data: model.itemFactors,
  };
}

/**
 * The fold-in of the model's doc comment for many people at once, one row of `history` each: what the device
 * computes alone, here in the engine's float32. Agrees with the device's float64 to about 1e-4 of a vector's
 * norm. People without history get 0. Models with a loss are for the device's own code (`foldIn` of
 * `recommend`).
 */
export async function foldInUsers(engine: Engine, model: FactorModel, history: Csr): Promise<Side> {
  if (model.loss !== undefined)
    throw new RangeError(`A model with a ${model.loss.kind} loss is no linear fit.`);
  const items = itemMatrix(model);
  if (model.feedback === 'explicit') {
    const fixed: Side = { factors: items, ...(model.itemBias && { intercept: model.itemBias }) };
    return solveSide(engine, { ...model.foldIn, rows: history, fixed, offset: model.offset });
  }
  const { unobservedWeight, ridge, ridgeExponent, ridgeCountOffset, grades } = model.foldIn;
  const factors = zeroFactors(history.rowCount, model.rank);
  await engine.solveRows({
    rows: history,
    fixed: items,
    out: factors,
    ridge: rowRidges(history, ridge, ridgeExponent, ridgeCountOffset),
    targets: sharedFloat32(history.values.length).fill(1),
    ...(grades && { weights: gradesOf(history, grades) }),
    ...(unobservedWeight > 0 && { unobservedWeight, gramian: await engine.gramian(items) }),
  });
  return { factors };
}
