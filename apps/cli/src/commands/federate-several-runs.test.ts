// One process of a role serves several runs at one address, each with its own charter, log and model.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { openRun, type SignedCharter } from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SmallFederation } from './small-federation.test.data.js';

const federation = new SmallFederation();
let charters: string[];
beforeAll(async () => {
  await federation.prepare();
  charters = [await federation.charter('first'), await federation.charter('second')];
});
afterAll(() => federation.end());

const signedAt = (file: string) => JSON.parse(readFileSync(federation.at(file), 'utf8')) as SignedCharter;

it('two runs at once, the second to end first; a run that ends stops no other', async () => {
  const both = { charter: charters, models: ['model-1', 'model-2'] };
  const roles = [
    federation.aggregator('north', both.charter),
    federation.aggregator('south', both.charter),
    federation.coordinator(both.charter, { out: both.models }),
  ];
  for (const role of roles) await role.says(/listening/);
  const [first, second] = charters.map(signedAt);
  // Who names no run gets the first; each is found by its name.
  const { coordinator, aggregators } = first.charter;
  const certificates = [coordinator, ...aggregators].map(({ certificate }) => certificate!);
  const line = tlsClient({ believed: certificates, own: federation.tlsOf('a') });
  expect((await openRun(coordinator.url, line)).hash).toBe(first.hash);
  expect((await openRun(coordinator.url, line, second.charter.run)).hash).toBe(second.hash);

  for (const charter of [...charters].reverse()) {
    const parties = [federation.party('a', charter), federation.party('b', charter)];
    for (const { ended } of parties) {
      const { code, text, errors } = await ended;
      expect(code, errors).toBe(0);
      expect(JSON.parse(text)).toMatchObject({ run: signedAt(charter).charter.run, handedIn: 3 });
    }
  }
  const [north, south, board] = roles;
  for (const { ended } of [north, south]) expect((await ended).code).toBe(0);
  await board.says(/written.*written/s);
  for (const [at, model] of both.models.entries())
    expect(
      await federation.hushrec(
        ...['verify', federation.at(model)],
        ...['--log', federation.at('board', `run-${[first, second][at].charter.run}`)],
      ),
    ).toContain('recomputed without any ratings');
  await board.stop();
});

it('as many models as charters', async () => {
  const { code, errors } = await federation.coordinator(charters, { out: ['one'] }).ended;
  expect(code).toBe(2);
  expect(errors).toContain('There are 2 --charter and 1 --out: give one --out for each --charter');
});

it('no run twice, and no place that is taken', async () => {
  const twice = await federation.aggregator('north', [charters[0], charters[0]]).ended;
  expect(twice.code).toBe(2);
  expect(twice.errors).toContain(`--charter ${charters[0]}: this run is given twice.`);
  const { host, port } = new URL(signedAt(charters[0]).charter.aggregators[0].url);
  const other = createServer().listen(Number(port), '127.0.0.1');
  await once(other, 'listening');
  const taken = await federation.aggregator('north', charters).ended;
  other.close();
  expect(taken.code).toBe(2);
  expect(taken.errors).toContain(
    `${host} is in use by another program. Say with --listen HOST:PORT where north is to listen.`,
  );
});
