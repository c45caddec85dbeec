import { readSettings, trainModel } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import { dpimfSchema } from '../methods/dpimf-settings.js';
import { exactProfiles } from '../methods/profile-passes.js';
import {
  type LeaveOneOutTask,
  profileScores,
  type RankingQuality,
  rankingQuality,
} from './leave-one-out-rank.js';

/**
 * The repaired method with its default settings at a proved total ε for single interactions, one party:
 * published item profiles, each person's profile fitted to their own history on their device.
 */
export async function repairedRun(
  task: LeaveOneOutTask,
  epsilon: number,
  options: { readonly engine: Engine; readonly seed: number },
): Promise<RankingQuality> {
  const { model, settings } = await trainModel({
    method: 'dpimf',
    ratings: task.train,
    epsilon,
    delta: 0,
    ...options,
  });
  if (model.kind !== 'factors') throw new TypeError('dpimf did not give vectors.');
  const items = Float64Array.from(model.itemFactors);
  const users = exactProfiles(task.train.byUser, items, readSettings(dpimfSchema, settings));
  return rankingQuality(task, profileScores(users, items, model.rank));
}
