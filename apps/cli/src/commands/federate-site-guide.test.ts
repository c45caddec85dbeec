// The guide docs/guides/federated.md, every command for a site and its visitors run as it is written.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Charter, MemoryFolder, openRun, SEAL_BYTES, type SignedCharter } from '@hushrec/federate';
import { tlsClient } from '@hushrec/federate/node';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { itemTable, Machines, rateInPage, siteBlocks, siteRequest } from './federate-machines.test.data.js';

/** Devices beside the page: `HUSHREC_DEVICES=199` uses all invitations of the guide. */
const deviceCount = Math.min(199, Number(process.env['HUSHREC_DEVICES'] ?? 24));
/** Seconds until the first window opens (roles start, devices fetch tokens), and of each window. */
type Hurry = readonly [number, number];
const hurries: readonly Hurry[] = [
  [15, 8],
  [90, 30],
  [300, 90],
];
const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-site-guide-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeInChromium('the guide for a site with a second operator, run as it is written', (opened) => {
  const machines = new Machines(join(folder, 'site'), ['site', 'trust']);
  const all = siteBlocks.flatMap(({ machine, runs, commands }) =>
    commands.map((command) => ({ machine, runs, command })),
  );
  const draft = all.find(({ command }) => / charter /.test(command))!.command;
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    await machines.proxy('site.example:8444', '127.0.0.1:9444');
    await machines.proxy('site.example:8445', '127.0.0.1:9445');
    await machines.proxy('trust.example:8446', '127.0.0.1:9446');
    await machines.proxy('site.example:8447', '127.0.0.1:9447');
    writeFileSync(machines.at('site', 'items.csv'), itemTable);
    const rows = Array.from(
      { length: 120 },
      (_, row) => `ann${row % 12},book-${(7 * row) % 20},${1 + (row % 5)}`,
    );
    writeFileSync(machines.at('site', 'ratings.csv'), `user,item,rating\n${rows.join('\n')}\n`);
  });
  afterAll(async () => {
    machines.end();
    machines.closeProxies();
    await engine?.close();
  });

  const signedCharter = () =>
    JSON.parse(readFileSync(machines.at('site', 'day-run', 'charter.json'), 'utf8')) as SignedCharter;
  /** The guide's request with other fields, and the command that makes a charter of it. */
  const asked = (name: string, change: object): string => {
    writeFileSync(machines.at('site', `${name}.json`), JSON.stringify({ ...siteRequest.fields, ...change }));
    return draft.replace('charter day-run day-run.json', `charter ${name} ${name}.json`);
  };

  it('gives a charter that both sign, with a window of a day for every exchange', async () => {
    for (const { machine, command } of all.filter(({ command }) => / identity /.test(command))) {
      const { code, errors } = await machines.run(machine, command);
      expect(code, `${command}\n${errors}`).toBe(0);
      machines.passOn(machine);
    }
    expect(siteRequest).toMatchObject({ file: 'day-run.json', machine: 'site' });
    expect((await machines.run('site', asked('as-written', {}))).code).toBe(0);
    const { charter } = JSON.parse(
      readFileSync(machines.at('site', 'as-written', 'charter.json'), 'utf8'),
    ) as SignedCharter;
    expect(charter.admission.kind).toBe('issuer');
    expect(charter.pace).toMatchObject({
      kind: 'windows',
      windows: expect.arrayContaining([
        { opens: '2027-01-02T00:00:00.000Z', closes: '2027-01-03T00:00:00.000Z' },
      ]),
    });
    const words = await machines.run('site', asked('weekly', { visits: 604_800 }));
    expect(words.text).toContain('as far as one person can: every report proves that it holds no more');
    expect(words.text).toContain('each open for 24 hours');
    expect(words.text).toContain('Devices are expected about every 7 days: each is in about one sum of 7');
    const past = await machines.run('site', asked('past', { opens: '2020-01-01T00:00:00Z' }));
    expect(past.text).toContain('closed at 2020-01-02T00:00:00.000Z, which is over');
    const parties = await machines.run('site', asked('mixed', { parties: ['site/identity.json'] }));
    expect(parties.code).toBe(2);
    expect(parties.errors).toContain('"opens", "window" and "visits" are for devices');
  });

  /** What a run of the guide leaves behind, for another one under the same names. */
  const forget = () => {
    machines.end();
    for (const machine of ['site', 'trust'])
      for (const name of ['day-run', 'models', 'invitations.txt'])
        rmSync(machines.at(machine, name), { recursive: true, force: true });
    for (const name of readdirSync(machines.at('site', 'board')).filter((name) => name.startsWith('run-')))
      rmSync(machines.at('site', 'board', name), { recursive: true });
  };

  /**
   * The proxies of both aggregators have every report in the clear: all are sealed, and no two are alike.
   * What that hides: `carrier.test.ts`.
   */
  const expectSealed = ({ exchanges, run }: Charter) => {
    const first = [...machines.carried].filter(([path]) => path.includes(`/v1/${run}/0/reports/`));
    const sizes = [...new Set(first.map(([, body]) => body.length))].sort((a, b) => a - b);
    expect(sizes).toHaveLength(2);
    // With norm proofs: four seeds, and four hashes that both are told.
    const seedBytes = exchanges[0].length * 8 * 32 + SEAL_BYTES;
    expect(sizes[0]).toBe(seedBytes);
    const seeds = first.filter(([, { length }]) => length === seedBytes);
    if (2 * seeds.length < deviceCount)
      throw new Error(`Only ${seeds.length} of ${deviceCount} were there, the others too late.`);
    expect(new Set(first.map(([, body]) => body.toString('hex'))).size, 'no two are alike').toBe(
      first.length,
    );
  };

  /** Windows of seconds in place of a day, and a method with few exchanges; all else as it is written. */
  const runOfDevices = async ([until, seconds]: Hurry) => {
    const opens = new Date(Date.now() + 1000 * until);
    for (const { machine, command } of all.filter(({ command }) => / (charter|sign) /.test(command))) {
      const quick = {
        opens: opens.toISOString(),
        window: seconds,
        method: 'dpals',
        settings: { rank: 2, rounds: 1 },
      };
      const line = command === draft ? asked('day-run', quick) : command;
      const { code, errors } = await machines.run(machine, line);
      expect(code, `${line}\n${errors}`).toBe(0);
      machines.passOn(machine);
    }
    const { charter, signatures } = signedCharter();
    expect(signatures).toHaveLength(2);
    expect(signedCharter().tokens?.tokenKeys).toHaveLength(charter.exchanges.length);
    const invite = all.find(({ command }) => / invite /.test(command))!;
    const stranger = await machines.run(invite.machine, invite.command.replace('desk', 'site'));
    expect(stranger.errors).toContain('site is not its issuer. That is desk: give its folder.');
    expect((await machines.run(invite.machine, invite.command)).code).toBe(0);
    const invitations = readFileSync(machines.at('site', 'invitations.txt'), 'utf8').trim().split('\n');
    expect(invitations).toHaveLength(200);
    const roles = all.filter(({ runs, command }) => runs && / federate /.test(command));
    expect(roles).toHaveLength(4);
    const running = roles.map(({ machine, command }) => machines.start(machine, command));
    for (const role of running) await machines.says(role, /^listening/m);
    const [makeFolder, serving] = all.filter(({ command }) => /^mkdir|^hushrec serve/.test(command));
    expect((await machines.run('site', makeFolder.command)).code).toBe(0);
    const server = await machines.serve('site', serving.command);
    // Chromium does not know the authority of this test.
    const context = await opened.browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    // A role that ends before its time says why; the others would only say that it does not answer.
    const early = running.map(async ({ ended }) => {
      const { code, text, errors } = await ended;
      return code === 0 ? new Promise<never>(() => {}) : Promise.reject(new Error(`${text}${errors}`));
    });
    for (const each of early) each.catch(() => undefined);
    try {
      const switchOn = async () => {
        await page.goto(`${server.url}/take-part#invitation=${invitations[199]}`);
        await page.locator('#believed').getByText('trust', { exact: true }).click();
        await page.locator('#most').fill('100');
        await page.locator('#most').blur();
        await page.locator('#switch').check();
      };
      await Promise.race([switchOn(), ...early]);
      const believed = [machines.certificate.cert];
      // The last invitation is the page's.
      const devices = invitations.slice(0, deviceCount).map(async (invitation, person) =>
        (await openRun(charter.coordinator.url, tlsClient({ believed }))).takePart({
          history: Array.from({ length: 8 }, (_, at) => ({
            id: `book-${(5 * person + 3 * at) % 20}`,
            rating: 1 + ((person + at) % 5),
          })),
          engine,
          folder: new MemoryFolder(),
          trusted: [charter.aggregators[1].publicKey],
          mostEpsilon: 100,
          invitation,
        }),
      );
      for (const each of devices) each.catch(() => undefined);
      for (const { handedIn, zerosBecause } of await Promise.race([Promise.all(devices), ...early])) {
        expect(zerosBecause).toBeUndefined();
        if (handedIn === 0) throw new Error('A device came too late for every window.');
      }
      await page.getByText(/^Done. Numbers were handed in at/).waitFor({ timeout: 0 });
      expectSealed(charter);
      await machines.allEnd(running);
      const log = readdirSync(machines.at('site', 'board')).find((name) => name.startsWith('run-'));
      const verified = await machines.run('site', `hushrec verify models/day --log board/${log}`);
      expect(verified.code, verified.text).toBe(0);
      const visitor = await opened.browser.newPage();
      visitor.setDefaultTimeout(120_000);
      await rateInPage(visitor, server.url);
      await visitor.close();
    } finally {
      await context.close();
      server.stop();
    }
  };

  it('takes visitors of the page and other devices from the first window to a model that the page recommends from', {
    timeout: 1_800_000,
  }, async () => {
    // On a busy machine few may be there in time: then once more, later and with longer windows.
    for (const [at, hurry] of hurries.entries())
      try {
        return await runOfDevices(hurry);
      } catch (error) {
        const isLate = /fewer reports than the charter demands|too late/.test(String(error));
        if (at + 1 === hurries.length || !isLate) throw error;
        forget();
      }
  });

  it('shows a whole run of devices', async () => {
    const [simulate, ...more] = all.filter(({ command }) => / simulate /.test(command));
    expect(more).toEqual([]);
    const run = await machines.start(simulate.machine, simulate.command).ended;
    expect(run.code, run.errors).toBe(0);
    expect(run.text).toContain('among 12 devices');
    const kinds =
      /^mkdir|^hushrec serve| (identity|charter|sign|invite|issue|aggregator|coordinator|simulate) /;
    expect(
      all.filter(({ command }) => !kinds.test(command)),
      'no command is left out',
    ).toEqual([]);
  });
});
