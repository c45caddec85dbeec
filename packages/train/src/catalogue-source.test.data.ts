import type { DatasetAccount, RatingMatrix } from '@hushrec/ratings';
import type { TrainingSource } from './training-request.js';

/** Ratings of a declared catalogue as a training reads them: people and items have numbers for names. */
export function catalogueSource(
  ratings: RatingMatrix,
  account: DatasetAccount,
  identity: string,
): TrainingSource {
  const { userCount, itemCount, scale } = ratings;
  return {
    account,
    identity,
    itemCount,
    scale,
    catalogue: 'declared',
    features: [],
    open: async () => ({
      identity,
      account: account.id,
      ratings,
      personIds: Array.from({ length: userCount }, (_, user) => `person ${user}`),
      features: [],
      items: { itemIds: Array.from({ length: itemCount }, (_, item) => `item ${item}`) },
    }),
  };
}
