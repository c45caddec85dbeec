// One run of hush among devices, with norm proofs or without: CPU and memory of every role.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Board,
  boardRoutes,
  bytesOf,
  coordinateRun,
  patient,
  remoteAggregator,
  replayRun,
  scheduleOf,
  usualPatience,
} from '@hushrec/federate';
import { FileFolder, serve, tlsClient } from '@hushrec/federate/node';
import { createEngine } from '@hushrec/numerics';
import { startRole, used } from './role-process.mjs';
import { cast, charterFor, startAggregators } from './stage.mjs';

/** With norm proofs. */
export const proved = (people, items) => devices(people, items, { normProofs: true });

export async function devices(people = 1000, items = 10_000, change = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const [board, ...aggregators] = await cast(3);
  const signed = await charterFor([board, ...aggregators], people, items, engine, change);
  const { charter } = signed;
  const log = await Board.open(new FileFolder(join(folder, 'board')));
  const server = await serve(boardRoutes(signed, [], log), {
    port: Number(new URL(board.office.url).port),
    tls: board.tls,
    mostBytes: 2 ** 16,
  });
  const certificates = [board, ...aggregators].map(({ tls }) => tls.cert);
  const running = await startAggregators(signed, aggregators, folder, certificates);
  const crowd = await startRole('devices-role.mjs', { signed, people, items, seed: 1, certificates });
  const client = patient(tlsClient({ believed: certificates }), 'an aggregator', usualPatience);
  const remote = aggregators.map((_, at) => remoteAggregator(signed, at, client, { key: board.key }));
  const before = used();
  const started = performance.now();
  const figures = crowd.next();
  crowd.send('go');
  await coordinateRun(charter, remote, log, scheduleOf(charter, log, { engine }), {
    progress: (done, total) => console.error(`exchange ${done} of ${total}`),
  });
  const seconds = (performance.now() - started) / 1000;
  const coordinator = { ...used(), cpu: used().cpu - before.cpu };
  const { bytes, ...together } = await figures;
  const both = await Promise.all(running.map(({ stop }) => stop()));
  await replayRun(charter, log, { engine });
  await server.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
  const cpu = together.cpu + coordinator.cpu + both.reduce((sum, each) => sum + each.cpu, 0);
  console.log(
    JSON.stringify(
      {
        devices: people,
        items,
        exchanges: log.length,
        bytesPerDevice: Math.round(bytes),
        bytesPlanned: bytesOf(charter).sent,
        cpuSecondsPerDevice: Number((together.cpu / people).toFixed(3)),
        cpuSeconds: Number(cpu.toFixed(1)),
        devicesTogether: together,
        coordinator,
        aggregators: both,
        seconds: Math.round(seconds),
      },
      null,
      1,
    ),
  );
}
