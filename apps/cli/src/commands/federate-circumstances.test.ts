// Roles of a federated run as processes over TLS, where something is wrong: each says once what, where and
// what to do, ends with another code than 0 or goes on by itself, and nothing is lost, double or charged
// twice.
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { MemoryFolder, openRun, type SignedCharter } from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { createEngine } from '@hushrec/numerics';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';
import { type Ended, SmallFederation, type Started } from './small-federation.test.data.js';

const federation = new SmallFederation();
const { full } = federation;
const at = (...path: string[]) => federation.at(...path);
let charter: string;
let other: string;
beforeAll(async () => {
  await federation.prepare();
  charter = await federation.charter('run');
  other = await federation.charter('another-run');
});
afterAll(() => federation.end());

/** How many runs are charged to a party, by its ledger. */
async function charges(party: string): Promise<number> {
  if (!existsSync(at(`${party}.hushrec`))) return 0;
  const shown = await federation.hushrec(
    ...['ledger', 'show', at(`${party}.hushrec`), '--ledger', at(`${party}.sqlite`), '--json'],
  );
  return (JSON.parse(shown) as { runs: number }).runs;
}

/** The one message with which a command ended. */
async function refusal({ ended }: Started, code: number): Promise<string> {
  const { code: found, text, errors }: Ended = await ended;
  expect(found, errors).toBe(code);
  expect(text).toBe('');
  const last = errors.trim().split('\n').at(-1)!;
  expect(last).toMatch(/^hushrec federate \w+: /);
  return last.replace(/^hushrec federate \w+: /, '');
}

// @door federate party: plan-hash
// @door federate coordinator: plan-hash
// @door federate aggregator: plan-hash
it('a wrong charter: changed, signed by others, or not by all', async () => {
  const signed = JSON.parse(readFileSync(at(charter), 'utf8')) as SignedCharter;
  const { signatures } = JSON.parse(readFileSync(at(other), 'utf8')) as SignedCharter;
  const wrong: readonly (readonly [string, SignedCharter, string])[] = [
    [
      'changed',
      { ...signed, charter: { ...signed.charter, mostPeople: 101 } },
      'it was changed after it was signed. Do not take part; ask whoever sent it.',
    ],
    [
      'forged',
      { ...signed, signatures },
      'the signature under the name of aggregator north is not north’s. Do not take part; ask whoever sent it.',
    ],
    [
      'unsigned',
      { ...signed, signatures: signed.signatures.slice(0, 1) },
      'aggregator south has not signed it. It holds when all its aggregators have (`hushrec federate sign`); until then do not take part.',
    ],
  ];
  for (const [name, content, words] of wrong) {
    cpSync(at('run'), at(name), { recursive: true });
    writeFileSync(at(name, 'charter.json'), JSON.stringify(content));
    const file = `${name}/charter.json`;
    const roles = [federation.party('a', file)];
    if (name === 'changed') roles.push(federation.aggregator('north', file), federation.coordinator(file));
    for (const role of roles) expect(await refusal(role, 4)).toBe(`The charter ${file} is refused: ${words}`);
  }
  expect(await charges('a')).toBe(0);
});

it('a participant with other items', async () => {
  writeFileSync(at('films.csv'), 'user,item,rating\nann,book-1,3\nann,film-7,4\nbob,film-9,2\n');
  const party = federation.party('a', charter, { ratings: 'films.csv' });
  expect(await refusal(party, 3)).toBe(
    'Of the items of these ratings 2 are not in the catalogue of the run (the first: film-7, film-9). Leave them out with --leave-out-unknown-items, or agree on another catalogue.',
  );
  expect(await charges('a')).toBe(0);
});

it('a clock that is wrong, or a certificate that is out of date', async () => {
  const roles = {
    900: [
      (days: string) => federation.party('a', charter, { in: 'wrong clock', env: { DAYS: days } }),
      (days: string) => federation.aggregator('north', charter, { in: 'wrong clock', env: { DAYS: days } }),
    ],
    [-30]: [(days: string) => federation.coordinator(charter, { in: 'wrong clock', env: { DAYS: days } })],
  };
  for (const [days, starts] of Object.entries(roles))
    for (const start of starts)
      expect(await refusal(start(days), 4)).toMatch(
        new RegExp(
          `^The charter run/charter.json is refused: the certificate of board ${Number(days) > 0 ? 'has expired' : 'is not valid yet'}: it holds from .* to .*, and it is .* here\\. Where the time is right, board needs a new identity and everybody a new charter; where it is not, set clocks by NTP\\.$`,
        ),
      );
  expect(await charges('a')).toBe(0);
});

it('clocks that differ, where windows have fixed times: a device and the coordinator say which times', async () => {
  const hour = 1 / 24;
  const opens = new Date(Date.now() - 60_000);
  const file = await federation.charter('windows', { opens, seconds: 1200 });
  const { charter } = JSON.parse(readFileSync(at(file), 'utf8')) as SignedCharter;
  const wrong = (days: number) => ({ in: 'wrong clock', env: { DAYS: String(days) } }) as const;
  const north = federation.aggregator('north', file);
  const coordinator = federation.coordinator(file, wrong(0.9 * hour));
  for (const each of [north, coordinator]) await each.says(/listening/);
  const certificates = [charter.coordinator, ...charter.aggregators].map(({ certificate }) => certificate!);
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const seen = opens.toISOString().slice(0, 13);
  for (const [days, words] of [
    [0.9 * hour, `^south: This exchange closed at \\S+Z; it is \\S+Z here\\.$`],
    [-0.9 * hour, `^south: This exchange opens at ${seen}\\S+Z; it is \\S+Z here\\.$`],
  ] as const) {
    const south = federation.aggregator('south', file, wrong(days));
    await south.says(/listening/);
    const run = await openRun(charter.coordinator.url, tlsClient({ believed: certificates }));
    const stop = new AbortController();
    const told = await new Promise<string>((resolve, reject) => {
      run
        .takePart({
          history: [{ id: 'book-1', rating: 5 }],
          engine,
          folder: new MemoryFolder(),
          trusted: [charter.aggregators[0].publicKey],
          mostEpsilon: 20,
          signal: stop.signal,
          waiting: resolve,
        })
        .catch(reject);
    });
    expect(told).toMatch(new RegExp(words));
    stop.abort();
    // Whoever is behind keeps the window open; who is ahead waits for it.
    if (days < 0)
      await coordinator.says(
        /waiting: an aggregator’s clock is behind this one: This exchange closes at \S+Z; it is \S+Z here\./,
      );
    await south.stop();
  }
  for (const each of [north, coordinator]) await each.stop();
  await engine.close();
});

it('others who do not answer: in the end it is told who, and nothing is lost', async () => {
  const party = () => refusal(federation.party('a', charter, { in: 'haste' }), 1);
  expect(await party()).toMatch(
    /^board \(https:\S+\) did not answer \(connect ECONNREFUSED \S+\)\. Nothing is lost: start the same command again to go on\.$/,
  );
  expect(await charges('a'), 'nothing is charged for a run whose board is not there').toBe(0);
  const coordinator = federation.coordinator(charter);
  await coordinator.says(/listening/);
  for (let time = 0; time < 2; time++) {
    expect(await party()).toMatch(
      /^south \(https:\S+\) did not answer .* start the same command again to go on\.$/,
    );
    expect(await charges('a'), 'charged before the first report, and once').toBe(1);
  }
  await coordinator.stop();
});

it('a party that follows the charter of another run is told so before it is charged', async () => {
  const coordinator = federation.coordinator(charter);
  await coordinator.says(/listening/);
  expect(await refusal(federation.party('b', other), 4)).toMatch(
    /^https:\S+: There is no such run here: it was started with another charter\. Give everybody the same charter\.json\.$/,
  );
  expect(await charges('b')).toBe(0);
  await coordinator.stop();
});

it('an aggregator that does not answer, and full disks of all roles: told once each, and in the end all is there once', async () => {
  const onFullDisk = { in: 'full disk' } as const;
  const north = federation.aggregator('north', charter, onFullDisk);
  await north.says(/listening/);
  const { run: ofRun } = (JSON.parse(readFileSync(at(charter), 'utf8')) as SignedCharter).charter;
  const sealingKey = (name: string) => at(name, `run-${ofRun}`, 'sealing-key');
  const privateKeyOf = (name: string) =>
    (JSON.parse(readFileSync(sealingKey(name), 'utf8')) as { content: { privateKey: unknown } }).content
      .privateKey;
  for (const name of ['north', 'south']) {
    expect(privateKeyOf(name)).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(sealingKey(name)).mode & 0o777).toBe(0o600);
  }
  const fullBoard = at('full-board');
  let coordinator = federation.coordinator(charter, { ...onFullDisk, env: { FULL: fullBoard } });
  await coordinator.says(/listening/);
  writeFileSync(fullBoard, '');

  // A party without room ends before anything is handed in.
  writeFileSync(full, '');
  expect(await refusal(federation.party('b', charter, onFullDisk), 1)).toMatch(
    /taking-part\/\S+: the disk is full\. Make room and repeat the command\.$/,
  );
  const parties = [federation.party('a', charter), federation.party('b', charter)];
  const noAnswer = /south \(https:\/\/\S+\) does not answer \(.*ECONNREFUSED.*\); it is asked again/;
  for (const each of parties) await each.says(noAnswer);
  const south = federation.aggregator('south', charter);
  // An aggregator without room goes on by itself, a coordinator when it is started again.
  await north.says(/the disk is full: what came was not taken and is asked for again\. Make room/);
  rmSync(full);
  expect(await refusal(coordinator, 1)).toMatch(
    /board\/run-\S+: the disk is full\. Make room and repeat the command\.$/,
  );
  coordinator = federation.coordinator(charter);
  for (const { ended } of parties) {
    const { code, text, errors } = await ended;
    expect(code, errors).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ handedIn: 3, missed: 0 });
    expect(errors.match(new RegExp(noAnswer, 'g')), 'told once').toHaveLength(1);
    // Every line is one of JSON, and none is about people.
    const told = errors
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(told.flatMap((line) => Object.keys(line)))).toEqual(
      new Set(['time', 'event', 'text', 'reason', 'exchange']),
    );
  }
  for (const { ended } of [north, south]) expect((await ended).code).toBe(0);
  await coordinator.says(/written/);
  for (const name of ['north', 'south'])
    expect(privateKeyOf(name), 'what was sealed can be opened by nobody any more').toBeNull();

  // Once more: everything is in, and paid for.
  const again = await federation.party('a', charter).ended;
  expect(again.code, again.errors).toBe(0);
  expect(again.errors).toContain('Paid for before: nothing is charged again.');
  expect(JSON.parse(again.text)).toMatchObject({ handedIn: 3, missed: 0, bytesSent: 0 });
  for (const party of ['a', 'b']) expect(await charges(party)).toBe(1);
  const logOf = (file: string) => {
    const { charter } = JSON.parse(readFileSync(at(file), 'utf8')) as SignedCharter;
    return at('board', `run-${charter.run}`);
  };
  expect(await federation.hushrec('verify', at('model'), '--log', logOf(charter))).toContain(
    'recomputed without any ratings',
  );
  // The log of a run that was broken off is told from it, and not waited for.
  const { code, text } = await runCommand('verify', at('model'), '--log', logOf('windows/charter.json'));
  expect(code).toBe(1);
  expect(text).toContain('it is another charter than the certified one.');
  expect(text).toContain('it is not there: the run was broken off, or is not over yet.');
});
