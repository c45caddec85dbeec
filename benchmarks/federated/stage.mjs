// What the loads have in common: identities, a charter, aggregators as processes.
import { join } from 'node:path';
import { draftCharter, newSealingKey, signCard, signCharter } from '@hushrec/federate';
import { selfSignedCertificate, serve } from '@hushrec/federate/node';
import { exportSigningKey, generateSigningKey } from '@hushrec/model/signing';
import { startRole } from './role-process.mjs';

/** Keys, certificates and addresses for so many roles; the first keeps the board. */
export async function cast(count) {
  const free = async () => {
    const server = await serve(async () => ({ status: 200, body: '' }), { port: 0, mostBytes: 1 });
    await server.close();
    return server.port;
  };
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const key = await generateSigningKey();
      const tls = selfSignedCertificate('127.0.0.1');
      const url = `https://127.0.0.1:${await free()}`;
      return {
        key,
        pem: await exportSigningKey(key),
        tls,
        office: await signCard({ name: `role ${at}`, url }, key),
        sealing: await newSealingKey(),
      };
    }),
  );
}

/** A charter of `hush` with rank 8 and 6 rounds, unless it is changed, signed by the aggregators. */
export async function charterFor(offices, people, items, engine, change = {}) {
  const [board, ...aggregators] = offices;
  let signed = await draftCharter(
    {
      method: 'hush',
      settings: { rank: 8, rounds: 6 },
      epsilon: 10,
      delta: 1e-6,
      catalogue: { itemCount: items, scale: { min: 0.5, max: 5, step: 0.5 }, hash: '' },
      coordinator: board.office,
      aggregators: aggregators.map(({ office }) => office),
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: people,
      leastReports: 1,
      pace: { kind: 'reports', count: people, longestSeconds: 3600 },
      admission: { kind: 'open' },
      codeVersion: 'benchmark',
      ...change,
    },
    { engine },
  );
  for (const { key, sealing } of aggregators) signed = await signCharter(signed, key, sealing.publicKey);
  return signed;
}

/** `boardless`: nobody keeps a log, so that only exchanges which the charter lists can be gone through. */
export async function startAggregators(signed, aggregators, folder, certificates, boardless = false) {
  return Promise.all(
    aggregators.map(({ pem, tls, sealing }, index) =>
      startRole('aggregator-role.mjs', {
        charter: signed.charter,
        others: signed.charter.normProofs && aggregators[1 - index].sealing.publicKey,
        hash: signed.hash,
        tokens: signed.tokens,
        index,
        key: pem,
        sealing,
        tls,
        folder: join(folder, String(index)),
        certificates,
        boardless,
      }),
    ),
  );
}
