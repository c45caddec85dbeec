import { defineMethod, type Method, type TrainingInput } from '@hushrec/factorize';
import type { Csr } from '@hushrec/numerics';
import { sensitive } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';

/**
 * The smallest method that has everything a private method can get wrong: it limits how many ratings a person
 * gives, clips them, sums them per item, counts them, releases both, and publishes shrunk means. The audit is
 * tested on it and on copies of it with planted faults (`broken-mechanisms.test.data.ts`). Not a recommender.
 *
 * One person contributes to at most k items, and at most half the scale to each, so removing them moves the
 * sums by at most √k·halfRange and the counts by at most √k in the Euclidean norm.
 */
export const noisyItemMeans: Method = itemMeansMethod({});

/** Ways to get it wrong. Every field is a fault; the empty object is the correct method. */
export interface ItemMeansFaults {
  /** Ratings are summed as they come, however large. */
  readonly labelsUnclipped?: boolean;
  /** Everyone contributes everything. */
  readonly contributionsUnbounded?: boolean;
  /** Means are divided by true counts; the noisy ones are released for show. */
  readonly exactCounts?: boolean;
  /** The exact sum of one item is published besides, off the record. */
  readonly releaseOffRecord?: boolean;
}

/** Ratings a person may contribute. */
const limit = 4;
const gridStep = 2 ** -10;

export function itemMeansMethod(faults: ItemMeansFaults): Method {
  return defineMethod({
    id: 'noisy-item-means',
    title: 'Noisy item means (for audits)',
    paper: 'none',
    feedback: ['explicit'],
    protects: [{ unit: 'user', relation: 'add-remove' }],
    settings: {},
    needs: 'ratings',
    plan: (_settings, { scale }) => ({
      unit: 'user',
      relation: 'add-remove',
      released: 'item means',
      releases: [
        {
          name: 'item-sums',
          mechanism: { kind: 'gaussian' },
          sensitivity: Math.sqrt(limit) * halfRange(scale),
          count: 1,
          share: 0.7,
        },
        {
          name: 'item-counts',
          mechanism: { kind: 'gaussian' },
          sensitivity: Math.sqrt(limit),
          count: 1,
          share: 0.3,
        },
      ],
    }),
    train: (input) => train(input, faults),
  });
}

async function train({ ratings, recorder }: TrainingInput<unknown>, faults: ItemMeansFaults) {
  const { byUser, scale, itemCount } = ratings;
  const exact = itemSums(byUser, scale, faults);
  const release = async (name: string, values: Float64Array, sensitivity: number) => {
    const open = recorder.begin(name);
    const noisy = await open.add(0, sensitive(values.map(Math.round), 'l2', sensitivity), gridStep);
    open.close();
    return noisy;
  };
  const bound = Math.sqrt(limit);
  const sums = await release('item-sums', exact.sums, bound * halfRange(scale));
  const counts = await release('item-counts', exact.counts, bound);
  const divisors = faults.exactCounts ? exact.counts.map((count) => count * gridStep) : counts;
  const itemBias = Float32Array.from(
    { length: itemCount },
    (_, item) => sums[item] / (5 + Math.max(0, divisors[item])),
  );
  if (faults.releaseOffRecord) itemBias[itemCount - 1] = exact.sums[itemCount - 1] * gridStep;
  return { model: { kind: 'baseline', feedback: 'explicit', offset: middle(scale), itemBias } as const };
}

/** Per item, in grid steps: Σ (r − middle) and the number of ratings, over each person's first k ratings. */
function itemSums(byUser: Csr, scale: RatingScale, faults: ItemMeansFaults) {
  const sums = new Float64Array(byUser.columnCount);
  const counts = new Float64Array(byUser.columnCount);
  const half = halfRange(scale);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user];
    const end = byUser.offsets[user + 1];
    const last = faults.contributionsUnbounded ? end : Math.min(end, begin + limit);
    for (let at = begin; at < last; at++) {
      const centred = byUser.values[at] - middle(scale);
      const clipped = faults.labelsUnclipped ? centred : Math.max(-half, Math.min(half, centred));
      sums[byUser.indices[at]] += Math.trunc(clipped / gridStep);
      counts[byUser.indices[at]] += 1 / gridStep;
    }
  }
  return { sums, counts };
}

const middle = (scale: RatingScale) => (scale.min + scale.max) / 2;
const halfRange = (scale: RatingScale) => (scale.max - scale.min) / 2;
