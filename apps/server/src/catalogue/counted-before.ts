import { readModelFolder } from '@hushrec/model/folder';
import type { CountedBefore } from '@hushrec/page/contract';
import { countsOfModel, type KnownCounts } from '@hushrec/planner';
import type { ModelEntry } from './model-catalogue.js';

const known = new WeakMap<ModelEntry, Promise<KnownCounts | undefined>>();

/**
 * What the latest models of one account (folders of long ago have none) released of how often items were
 * rated, of stars and of choices. Taking the noise out takes some hundredths of a second, so it is done when
 * somebody plans, and once.
 */
export async function countedBefore(
  models: readonly ModelEntry[],
  account: string | undefined,
): Promise<CountedBefore[]> {
  const latestFirst = models
    .filter(
      ({ summary }) => summary.account === account && summary.usefulness !== null && !summary.simulation,
    )
    .toSorted((a, b) => (a.summary.publishedAt < b.summary.publishedAt ? 1 : -1));
  const found = await Promise.all(
    (['explicit', 'implicit'] as const).map(async (feedback): Promise<CountedBefore[]> => {
      const entry = latestFirst.find(({ summary }) => summary.feedback === feedback);
      const counts = entry && (await countsOf(entry));
      if (entry === undefined || counts === undefined) return [];
      return [
        {
          model: entry.summary.id,
          feedback: feedback === 'implicit' ? 'likes' : 'ratings',
          parts: [...counts.parts],
          people: counts.people,
          error: counts.error,
        },
      ];
    }),
  );
  return found.flat();
}

function countsOf(entry: ModelEntry): Promise<KnownCounts | undefined> {
  const before = known.get(entry);
  if (before !== undefined) return before;
  // A folder that is replaced at this moment: the next question finds the new one.
  const counts = readModelFolder(entry.folder)
    .then(({ model, certificate }) => countsOfModel(model, certificate))
    .catch(() => undefined);
  known.set(entry, counts);
  return counts;
}
