import type { Dataset, RatingMatrix } from '@hushrec/ratings';
import type { CommandContext } from './command.js';
import { type SourceFlags, testFileOptions } from './data-source.js';
import { CommandError, exitCodes } from './exit-codes.js';
import type { ProtocolFlags } from './protocol.js';

/**
 * The ratings of a test file in the numbering of the data set, without those that are in the data set too.
 */
export async function givenTest(
  file: string,
  dataset: Dataset,
  train: RatingMatrix,
  flags: SourceFlags & ProtocolFlags,
  context: CommandContext,
): Promise<{ readonly train: RatingMatrix; readonly test: RatingMatrix }> {
  const { likedItems, readHeldOutFile, selectRatings } = await import('@hushrec/ratings');
  const reading = await testFileOptions(dataset.manifest, flags, context);
  const read = await readHeldOutFile(file, dataset, reading);
  const asked = flags.liked === undefined ? read.ratings : likedItems(read.ratings, flags.liked);
  const total = asked.byUser.indices.length;
  const isNew = new Uint8Array(total).fill(1);
  for (let user = 0; user < asked.userCount; user++) {
    const { offsets, indices } = train.byUser;
    const own = new Set(indices.subarray(offsets[user], offsets[user + 1]));
    for (let k = asked.byUser.offsets[user]; k < asked.byUser.offsets[user + 1]; k++)
      if (own.has(asked.byUser.indices[k])) isNew[k] = 0;
  }
  const test = selectRatings(asked, isNew, 1);
  const left = test.byUser.indices.length;
  if (read.unknownRows > 0)
    context.say(
      `Left out of ${file}: ${counted(read.unknownRows, 'row')} about people or items that the data set does not have.`,
    );
  if (left < total)
    context.say(
      `Left out of ${file}: ${counted(total - left, 'pair')} that the data set has too, where the model may have seen them.`,
    );
  if (left === 0)
    throw new CommandError(
      exitCodes.badData,
      `${file}: nothing in it can be asked for. Its ids must be those of the data set, and its pairs must not be in it.`,
    );
  return { train, test };
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
