import type { FoldRunner } from './fold-runner.js';
import { shrinkage } from './paper-settings.js';

/** RMSE by fold of the baselines that private methods are compared with, on the folds of the runner. */
export interface BaselineErrors {
  readonly item: readonly number[];
  readonly effects: readonly number[];
}

/**
 * Item average and global effects without noise: the averages of the private methods at ε = ∞, so that only
 * noise differs.
 */
export async function baselineErrors(runner: FoldRunner, folds: readonly number[]): Promise<BaselineErrors> {
  const byFold = async (method: string, settings: Readonly<Record<string, number | string | boolean>>) => {
    const errors = await runner.errors({
      method,
      settings,
      epsilon: Number.POSITIVE_INFINITY,
      folds,
      runs: 1,
    });
    const rmse: number[] = [];
    for (const each of errors) rmse[each.fold] = each.rmse;
    return rmse;
  };
  return {
    item: await byFold('item-average', { itemShrinkage: shrinkage.itemShrinkage }),
    effects: await byFold('private-global-effects', { ...shrinkage, unit: 'rating-value', repaired: false }),
  };
}
