import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Catalogue,
  coordinateRun,
  MemoryFolder,
  openRun,
  SEAL_BYTES,
  scheduleOf,
} from '@hushrec/federate';
import { createEngine, type Engine } from '@hushrec/numerics';
import { makeRun } from '@hushrec/train';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenOffices, openOffices } from '../../../../packages/federate/src/open-offices.test.data.js';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { sampleItemIds, sampleTitles } from '../testing/sample-models.test.data.js';
import { startTestServer, type TestServer } from '../testing/test-server.test.data.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const scale = { min: 0.5, max: 5, step: 0.5 };
const companions = 4;

describeInChromium('taking part from the page', (opened) => {
  let server: TestServer;
  let engine: Engine;
  let catalogue: Catalogue;
  let offices: OpenOffices;

  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    catalogue = { format: 'hushrec-catalogue-1', scale, itemIds: sampleItemIds };
    offices = await openOffices(
      ['the site', 'the university'],
      catalogue,
      { engine },
      {
        epsilon: 8,
        mostPeople: 100,
        pace: { kind: 'reports', count: companions + 1, longestSeconds: 100 },
      },
    );
    const { charter } = offices.signed;
    server = await startTestServer({
      takePart: {
        board: charter.coordinator.url,
        aggregators: charter.aggregators.map(({ url }) => url),
      },
    });
  });
  afterAll(async () => {
    await server?.close();
    await offices?.close();
    await engine?.close();
  });

  /** The page's own policy admits no other script: the checks are given to it by the debugger. */
  async function accessibilityFaults(page: Page): Promise<string[]> {
    const session = await page.context().newCDPSession(page);
    const evaluate = async (expression: string) => {
      const { result } = await session.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      return result.value as string[];
    };
    await evaluate(`${axeSource}; 0`);
    const faults = await evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
    await session.detach();
    return faults;
  }

  const state = (page: Page) => page.locator('#state');

  it('shows the charter, sends shares when it is switched on, stops at once, and goes on later', async () => {
    const { signed, board, aggregators } = offices;
    const { charter } = signed;
    const context = await opened.browser.newContext({ viewport: { width: 1200, height: 1000 } });
    const page = await context.newPage();
    page.on('pageerror', (error) => expect.unreachable(error.message));
    const outside: { method: string; url: string; bytes: number }[] = [];
    page.on('request', (request) => {
      // Pictures and workers that the page makes itself have addresses of their own (blob:) and reach
      // nobody.
      if (
        !request
          .url()
          .replace(/^blob:/, '')
          .startsWith(server.url)
      )
        outside.push({
          method: request.method(),
          url: request.url(),
          bytes: request.postDataBuffer()?.length ?? 0,
        });
    });
    const puts = () => outside.filter(({ method }) => method === 'PUT');

    await page.goto(`${server.url}/#/try`);
    for (const item of [0, 3, 5]) {
      await page.getByLabel('Find an item').fill(sampleTitles[item]);
      await page
        .locator(`ul[aria-label="Items to rate"] li[data-item="${sampleItemIds[item]}"] label`)
        .last()
        .click();
    }
    await page.goto(`${server.url}/#/take-part`);
    await page.getByRole('link', { name: 'Read the charter' }).click();
    await page.getByText('3 of your ratings are about things in this run').waitFor();
    for (const words of [
      'What you hand in is split among the site, the university',
      'The guarantee holds if at least 1 of 2 add it as they signed',
      '(ε, δ) = (8, 0.00001)',
      '1.6 kB to send',
      `An exchange ends when ${companions + 1} reports are in`,
    ])
      expect(await page.locator('dl.facts').textContent()).toContain(words);
    const toggle = page.getByRole('switch', { name: 'Take part' });
    expect(await toggle.isDisabled(), 'nobody is believed yet').toBe(true);
    await page.locator('#believed label', { hasText: 'the university' }).click();
    await page.getByLabel('Most ε for all runs together').fill('5');
    await page.getByLabel('Most ε for all runs together').blur();
    expect(await state(page).textContent()).toContain('you allow 5 in all');
    await page.getByLabel('Most ε for all runs together').fill('10');
    await page.getByLabel('Most ε for all runs together').blur();
    expect(puts(), 'nothing is sent before it is switched on').toEqual([]);

    await toggle.click();
    await page.locator('#sent tbody tr').nth(1).waitFor();
    if (process.env['HUSHREC_SCREENSHOTS'])
      await page.screenshot({
        path: `${process.env['HUSHREC_SCREENSHOTS']}/take-part.png`,
        fullPage: true,
      });
    expect(puts()).toHaveLength(2);
    await page.getByText('1 run has cost this device ε = 8 so far, this one included').waitFor();
    for (const media of [{ colorScheme: 'light' }, { colorScheme: 'dark' }] as const) {
      await page.emulateMedia(media);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
    await toggle.click();
    expect(await state(page).textContent()).toContain('Nothing more is sent');
    const running = coordinateRun(charter, aggregators, board, scheduleOf(charter, board, { engine }), {
      pollMilliseconds: 5,
    });
    const devices = Array.from({ length: companions }, async (_, at) =>
      (await openRun(charter.coordinator.url)).takePart({
        history: [{ id: sampleItemIds[at], rating: 5 }],
        engine,
        folder: new MemoryFolder(),
        trusted: [charter.aggregators[1].publicKey],
        mostEpsilon: 10,
      }),
    );
    while (board.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = outside.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(outside.length, 'off means off').toBe(before);

    await toggle.click();
    await page.getByText('Done.').waitFor();
    const [took] = await Promise.all([Promise.all(devices), running]);
    expect(took.every(({ zerosBecause }) => zerosBecause === undefined)).toBe(true);
    expect(await page.locator('#sent').textContent()).toContain('shares');
    // Shares and requests for the log, and nothing else, to the board and the aggregators of the charter
    // alone.
    const places = [charter.coordinator, ...charter.aggregators].map(({ url }) => url);
    const plain = [
      32,
      ...charter.exchanges.map(
        (lines) => lines.reduce((sum, { length }) => sum + length, 0) * charter.wordBytes,
      ),
    ];
    // A seal adds the encapsulated key and a tag.
    const sizes = new Set(plain.map((bytes) => bytes + SEAL_BYTES));
    for (const { method, url, bytes } of outside) {
      expect(places).toContain(new URL(url).origin);
      expect(url.includes('item-')).toBe(false);
      if (method === 'PUT') expect(sizes).toContain(bytes);
      else expect(bytes).toBe(0);
    }
    expect(puts().length).toBeGreaterThanOrEqual(2 * charter.exchanges.length);
    // What came of it is a model like any other: the page recommends from it.
    await makeRun({
      kind: 'federated model',
      ...{ signed, log: board, catalogue, engine, codeVersion: 'test' },
      ...{ out: join(server.folder, 'models', 'by-visitors'), overwrite: false },
    });
    await page.reload();
    await page.getByText('shares,').waitFor();
    expect(await toggle.isChecked()).toBe(false);
    await page.waitForTimeout(1100);
    await page.goto(`${server.url}/#/try`);
    await page.reload();
    // Its account is the charter, so that it is a catalogue of its own.
    await page.getByLabel('Catalogue').selectOption(`${signed.hash.slice(0, 16)}.explicit`);
    await page.getByLabel('Recommendations of by-visitors').locator('.item-title').first().waitFor();
    await context.close();
  });

  it('may talk to the run and to nobody else, also not to the server it came from', async () => {
    const { charter } = offices.signed;
    const context = await opened.browser.newContext();
    const page = await context.newPage();
    const answer = await page.goto(`${server.url}/take-part`);
    expect(answer!.headers()['content-security-policy']).toContain(
      `connect-src ${[charter.coordinator, ...charter.aggregators].map(({ url }) => `${url}/v1/`).join(' ')};`,
    );
    await page.waitForSelector('#switch');
    const reach = (url: string) =>
      page.evaluate(`fetch(${JSON.stringify(url)}).then(() => 'reached', () => 'refused')`);
    expect(await reach(`${charter.coordinator.url}/v1/charter`)).toBe('reached');
    expect(await reach(`${charter.coordinator.url}/elsewhere`)).toBe('refused');
    expect(await reach(`${server.url}/api/models`)).toBe('refused');
    expect(await reach('http://127.0.0.1:9/')).toBe('refused');
    await context.close();
  });

  it('a server without an invitation has no such page', async () => {
    const plain = await startTestServer();
    try {
      expect(await (await plain.ask('/api/take-part')).json()).toEqual({ open: false });
      expect((await plain.ask('/take-part')).status).toBe(404);
    } finally {
      await plain.close();
    }
  });
});
