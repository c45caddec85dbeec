import type { Dataset } from '@hushrec/ratings';
import { type ProtocolFlags, ratingsFor, splitFor } from './protocol.js';

/**
 * Ids of the users of `trainingPart`, row by row: all of the data set, or those that strong generalization
 * trains on.
 */
export async function trainedUserIds(dataset: Dataset, flags: ProtocolFlags): Promise<readonly string[]> {
  if (flags.protocol !== 'strong-generalization') return dataset.userIds;
  const split = await splitFor(dataset, await ratingsFor(dataset, flags), flags);
  return split.protocol === 'strong-generalization'
    ? Array.from(split.trainUsers, (user) => dataset.userIds[user])
    : dataset.userIds;
}
