// All devices of a run in one process, each with one person's ratings. Started by `devices`.
import {
  MemoryFolder,
  patient,
  remoteAggregator,
  remoteLog,
  shareOut,
  takePart,
  usualPatience,
} from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { received, used } from './role-process.mjs';

const { signed, people, items, seed, certificates } = await received();
const { ratings } = generateCatalogue({ users: people, items, ratings: people * 50, seed });
const shares = shareOut(ratings, 'item', people, Math.random).map((share) => share.ratings);
const engine = await createEngine({ kernel: 'simd', threads: 1 });
const { charter } = signed;
const line = { believed: certificates, timeoutMilliseconds: 300_000 };
const client = patient(tlsClient(line), 'an aggregator', usualPatience);
// Every device waits for the next entry on a connection of its own: whoever is behind would queue after all
// those who wait.
const toBoard = patient(tlsClient({ ...line, mostConnections: people }), 'the board', usualPatience);
const before = used();
process.send('ready');
await received();
let sent = 0;
const trusted = charter.aggregators.map(({ publicKey }) => publicKey);
await Promise.all(
  shares.map(async (own) => {
    const { bytesSent } = await takePart(
      signed,
      own,
      { engine },
      { trusted, mostEpsilon: 100, kept: 'one-person' },
      {
        aggregators: charter.aggregators.map((_, at) => remoteAggregator(signed, at, client)),
        log: remoteLog(charter.coordinator.url, charter.run, toBoard),
      },
      { folder: new MemoryFolder(), checked: true },
    );
    sent += bytesSent;
  }),
);
const after = used();
process.send({ cpu: after.cpu - before.cpu, megabytes: after.megabytes, bytes: sent / people });
await engine.close();
process.disconnect();
