// One aggregator over TLS, on a folder of files. Started by `startAggregators`.
import {
  Aggregator,
  aggregatorRoutes,
  charteredSchedule,
  patient,
  remoteLog,
  scheduleOf,
  usualPatience,
  verifyKey,
} from '@hushrec/federate';
import { FileFolder, serve, tlsClient } from '@hushrec/federate/node';
import { importSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { received, used } from './role-process.mjs';

const { charter, hash, tokens, index, key, sealing, others, tls, folder, certificates, boardless } =
  await received();
const engine = await createEngine({ kernel: 'simd', threads: 1 });
const client = patient(tlsClient({ believed: certificates }), 'the board', usualPatience);
const log = remoteLog(charter.coordinator.url, charter.run, client);
const aggregator = await Aggregator.open(charter, new FileFolder(folder), {
  index,
  key: await importSigningKey(key),
  ...(tokens && { tokenKeys: tokens.tokenKeys }),
  ...(others && { verifyKey: await verifyKey(sealing, others, hash) }),
  secret: crypto.getRandomValues(new Uint8Array(32)),
  schedule: boardless ? charteredSchedule(charter) : scheduleOf(charter, log, { engine }),
});
const server = await serve(aggregatorRoutes(charter, aggregator, { index, sealing }), {
  port: Number(new URL(charter.aggregators[index].url).port),
  tls,
  mostBytes: 2 ** 24,
  failed: (error) => console.error(error),
});
process.send('ready');
await received();
process.send(used());
await server.close();
process.disconnect();
