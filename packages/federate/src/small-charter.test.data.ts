import '@hushrec/papers/register';
import type { SigningKey } from '@hushrec/model/signing';
import { Aggregator, type AggregatorOptions } from './aggregator.js';
import type { AggregatorPort } from './aggregator-port.js';
import { fromHex, hashHex } from './bytes.js';
import { signCard } from './card.js';
import { type Charter, type SignedCharter, signCharter } from './charter.js';
import { type CharterRequest, draftCharter } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { checkerboard } from './equality.test.data.js';
import type { PublicKnowledge } from './participant.js';
import { newSealingKey } from './sealed-share.js';

/** The key to which shares for an aggregator are sealed: one that every process of a test finds again. */
export const sealingOf = async ({ publicKey }: Pick<SigningKey, 'publicKey'>) =>
  newSealingKey(fromHex(await hashHex(publicKey)));

/** Signs as an aggregator with that key. */
export const signAsAggregator = async (signed: SignedCharter, key: SigningKey) =>
  signCharter(signed, key, (await sealingOf(key)).publicKey);

/** The same charter with aggregators where a test has started them. */
export const reachedAt = (signed: SignedCharter, urls: readonly string[]): SignedCharter => ({
  ...signed,
  charter: {
    ...signed.charter,
    aggregators: signed.charter.aggregators.map((card, at) => ({ ...card, url: urls[at] ?? card.url })),
  },
});

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
      coordinator: await signCard({ name: 'board', url: '' }, keys[2]),
      aggregators: await Promise.all(
        ['north', 'south'].map((name, at) => signCard({ name, url: '' }, keys[at])),
      ),
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
  for (const key of keys.slice(0, 2)) signed = await signAsAggregator(signed, key);
  return signed;
}

/** Both aggregators of such a charter, each with a folder and a secret of its own. */
export function openAggregators(
  charter: Charter,
  keys: readonly SigningKey[],
  more: (index: number) => Partial<AggregatorOptions> = () => ({}),
): Promise<Aggregator[]> {
  const verifyKey = crypto.getRandomValues(new Uint8Array(32));
  return Promise.all(
    [0, 1].map((index) =>
      Aggregator.open(charter, new MemoryFolder(), {
        index,
        key: keys[index],
        secret: crypto.getRandomValues(new Uint8Array(32)),
        verifyKey,
        ...more(index),
      }),
    ),
  );
}

/** An aggregator of which some answers are a test's. */
export function instead(port: AggregatorPort, change: Partial<AggregatorPort>): AggregatorPort {
  return new Proxy(port, {
    get: (of, name: keyof AggregatorPort) => change[name] ?? of[name]?.bind(of),
  });
}
