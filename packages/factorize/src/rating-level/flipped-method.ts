import type { Method } from '../method.js';
import { readSettings, type SettingsSchema } from '../settings.js';
import { flipInteractions } from './flipped-bits.js';
import { neighboursFromFlips, type PairEstimate } from './flipped-neighbours.js';

const schema = {
  neighbours: { type: 'integer', default: 100, min: 1, max: 2000, description: 'Neighbours kept per item.' },
} as const satisfies SettingsSchema;

const release = 'interaction bits';

/**
 * Item neighbours from locally flipped bits. Every person reports each of their 0/1 bits through randomised response, so no
 * one has to be trusted; the server debiases counts and publishes neighbour lists, and each device scores with its own raw
 * history. Unit: one bit, that is, one interaction being present or absent.
 */
export function flippedMethod(
  identity: { readonly id: string; readonly title: string; readonly paper: string },
  similarity: (pair: PairEstimate) => number,
): Method<typeof schema> {
  return {
    ...identity,
    feedback: ['implicit'],
    protects: [{ unit: 'rating-presence', relation: 'add-remove' }],
    settings: schema,
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
    async train({ ratings, settings: given, recorder, progress }) {
      const { neighbours } = readSettings(schema, given);
      const tick = (stage: string, total: number) => (done: number) => progress?.({ stage, done, total });
      const bits = await flipInteractions(ratings, recorder, release, tick('reports', ratings.userCount));
      const lists = neighboursFromFlips(
        bits,
        neighbours,
        similarity,
        tick('similarities', ratings.itemCount),
      );
      return { model: { kind: 'neighbours', feedback: 'implicit', offset: 0, userShrinkage: 0, ...lists } };
    },
  };
}
