import type { SigningKey } from '@hushrec/model';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import { type Charter, type SignedCharter, signCharter } from './charter.js';
import { type CharterRequest, draftCharter } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard } from './equality.test.data.js';
import type { PublicKnowledge } from './participant.js';

/** Twelve people and six items, for `smallCharter`. */
export const smallRatings = checkerboard(12, 6, 4);

/**
 * The charter of a run that is over soon, signed by both aggregators.
 *
 * @param keys of aggregators north and south, and of the board
 */
export async function smallCharter(
  keys: readonly SigningKey[],
  knowledge: PublicKnowledge,
  change: Partial<CharterRequest> = {},
): Promise<SignedCharter> {
  let signed: SignedCharter = await draftCharter(
    {
      method: 'dpals',
      settings: { rounds: 1, rank: 2 },
      epsilon: 100,
      delta: 1e-5,
      catalogue: { itemCount: smallRatings.itemCount, scale: smallRatings.scale, hash: '' },
      coordinator: { name: 'board', url: '', publicKey: keys[2].publicKey },
      aggregators: ['north', 'south'].map((name, at) => ({ name, url: '', publicKey: keys[at].publicKey })),
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: smallRatings.userCount,
      leastReports: 2,
      pace: { kind: 'reports', count: 2, longestSeconds: 600 },
      admission: { kind: 'open' },
      codeVersion: 'test',
      // Noise of ε = 100 leaves something to compare.
      acceptWeak: true,
      ...change,
    },
    knowledge,
  );
  for (const key of keys.slice(0, 2)) signed = await signCharter(signed, key);
  return signed;
}

/** Both aggregators of such a charter, each with a folder and a secret of its own. */
export function openAggregators(
  charter: Charter,
  keys: readonly SigningKey[],
  more: (index: number) => Partial<AggregatorOptions> = () => ({}),
): Promise<Aggregator[]> {
  return Promise.all(
    [0, 1].map((index) =>
      Aggregator.open(charter, new MemoryFolder(), {
        index,
        key: keys[index],
        secret: crypto.getRandomValues(new Uint8Array(32)),
        ...more(index),
      }),
    ),
  );
}
