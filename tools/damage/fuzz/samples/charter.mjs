import '@hushrec/papers/register';
import {
  catalogueHash,
  draftCharter,
  newSealingKey,
  readCharter,
  signCard,
  signCharter,
} from '@hushrec/federate';
import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';

const scale = { min: 1, max: 5, step: 1 };

/**
 * A charter of two aggregators, a coordinator and two parties, signed by the aggregators, with all keys, the
 * catalogue and its reader.
 */
export async function signedCharter() {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const keys = await Promise.all([0, 1, 2, 3, 4].map(() => generateSigningKey()));
  const [north, south, coordinator, ...parties] = keys;
  const itemIds = ['a', 'b', 'c', 'd'];
  const catalogue = { format: 'hushrec-catalogue-1', scale, itemIds };
  const card = (name, key) => signCard({ name, url: `https://${name}.example` }, key);
  const sealing = await Promise.all([0, 1].map(() => newSealingKey()));
  let signed = await draftCharter(
    {
      method: 'dpals',
      settings: { rounds: 1, rank: 2 },
      epsilon: 10,
      delta: 1e-5,
      catalogue: { itemCount: itemIds.length, scale, hash: await catalogueHash(catalogue) },
      coordinator: await card('board', coordinator),
      aggregators: [await card('north', north), await card('south', south)],
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: 10,
      leastReports: 2,
      pace: { kind: 'reports', count: 2, longestSeconds: 60 },
      admission: {
        kind: 'parties',
        parties: parties.map(({ publicKey }, at) => ({ name: `party ${at}`, publicKey })),
      },
      codeVersion: 'fuzz',
    },
    { engine },
  );
  await engine.close();
  for (const [at, key] of [north, south].entries())
    signed = await signCharter(signed, key, sealing[at].publicKey);
  const read = (value) => readCharter(value, [north.publicKey]);
  return { signed, read, catalogue, aggregators: [north, south], sealing, coordinator, parties };
}
