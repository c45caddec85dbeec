import type { Method, SettingsSchema } from '@hushrec/factorize';
import { defineMethod } from '@hushrec/factorize';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { flipInteractions } from './flipped-bits.js';
import { neighboursFromFlips, type PairSimilarity } from './flipped-neighbours.js';

const schema = {
  neighbours: { type: 'integer', default: 100, min: 1, max: 2000, description: 'Neighbours kept per item.' },
  itemLimit: {
    type: 'integer',
    default: 8192,
    min: 2,
    max: 1_000_000,
    description:
      'Only this many items, those with the most (flipped) reports, get neighbours and are neighbours; the others have popularity alone. Time grows with its square.',
  },
} as const satisfies SettingsSchema;

const release = 'interaction-bits';

/**
 * Item neighbours from locally flipped bits. Every person reports each of their 0/1 bits through randomised
 * response, so no one has to be trusted; the server debiases counts and publishes neighbour lists, and each
 * device scores with its own raw history. Unit: one bit, that is, one interaction being present or absent.
 */
export function flippedMethod(
  identity: { readonly id: string; readonly title: string; readonly paper: string },
  similarity: PairSimilarity,
): Method<typeof schema> {
  return defineMethod({
    ...identity,
    feedback: ['implicit'],
    protects: [{ unit: 'rating-presence', relation: 'add-remove' }],
    settings: schema,
    needs: 'ratings',
    plan: () => ({
      unit: 'rating-presence',
      relation: 'add-remove',
      released: 'one flipped bit per person and item (each person flips their own)',
      releases: [
        {
          name: release,
          mechanism: { kind: 'pure', mechanism: 'randomised response' },
          sensitivity: 1,
          count: 1,
          share: 1,
        },
      ],
    }),
    async train({ ratings, settings, recorder, progress, signal }) {
      const { neighbours: k, itemLimit } = settings;
      const bits = await flipInteractions(ratings, recorder, release, async (done) => {
        await letInterruptionsIn(signal);
        // In per cent: a server tells its viewers, and how many people there are is no release.
        progress?.({ stage: 'reports', done: Math.floor((100 * done) / ratings.userCount), total: 100 });
      });
      const lists = await neighboursFromFlips(
        bits,
        { k, listed: itemLimit },
        similarity,
        async (done, total) => {
          await letInterruptionsIn(signal);
          progress?.({ stage: 'similarities', done, total });
        },
      );
      return {
        model: { kind: 'neighbours', feedback: 'implicit', offset: 0, userShrinkage: 0, ...lists },
        facts: {
          listedItems: Math.min(itemLimit, ratings.itemCount),
          itemsWithPopularityAlone: Math.max(0, ratings.itemCount - itemLimit),
        },
      };
    },
  });
}
