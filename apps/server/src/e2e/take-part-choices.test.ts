// What *Take part* promises a visitor: invited once, nothing sent before the window opens, everything that
// left is listed, the copy of the ratings goes when it is switched off, and a page that is loaded again goes
// on.
import type { Catalogue, Charter } from '@hushrec/federate';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenOffices, openOffices } from '../../../../packages/federate/src/open-offices.test.data.js';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { sampleItemIds } from '../testing/sample-models.test.data.js';
import { startTestServer, type TestServer } from '../testing/test-server.test.data.js';

const hour = 3_600_000;

describeInChromium('a visitor who is invited', (opened) => {
  let server: TestServer;
  let engine: Engine;
  let offices: OpenOffices;
  /** Milliseconds by which the clocks of aggregators are ahead. */
  let ahead = 0;
  const began = Date.now();

  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    const catalogue: Catalogue = {
      format: 'hushrec-catalogue-1',
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: sampleItemIds,
    };
    const at = (exchange: number) => new Date(began + hour * (exchange + 1)).toISOString();
    const pace = (exchanges: number): Charter['pace'] => ({
      kind: 'windows',
      windows: Array.from({ length: exchanges }, (_, exchange) => ({
        opens: at(exchange),
        closes: at(exchange + 1),
      })),
    });
    offices = await openOffices(
      ['the site', 'the university'],
      catalogue,
      { engine },
      { epsilon: 8, mostPeople: 100, pace },
      { withTokens: true, clock: () => Date.now() + ahead },
    );
    const { coordinator, aggregators, admission } = offices.signed.charter;
    server = await startTestServer({
      takePart: {
        board: coordinator.url,
        aggregators: aggregators.map(({ url }) => url),
        ...(admission.kind === 'issuer' && { issuer: admission.issuer.url }),
      },
    });
  });
  afterAll(async () => {
    await server?.close();
    await offices?.close();
    await engine?.close();
  });

  /** Names of what the page keeps of its runs. */
  const kept = (page: Page) =>
    page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const opening = indexedDB.open('hushrec-taking-part');
          opening.onsuccess = () => {
            const names = opening.result.transaction('files').objectStore('files').getAllKeys();
            names.onsuccess = () => resolve(names.result.map(String));
          };
        }),
    );
  const copies = async (page: Page) => (await kept(page)).filter((name) => name.startsWith('ratings-'));

  it('sends nothing before the window opens, lists all that left, keeps no copy when it is off', async () => {
    const context = await opened.browser.newContext();
    const page = await context.newPage();
    page.on('pageerror', (error) => expect.unreachable(error.message));
    const puts: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.postDataBuffer()?.length ?? 0);
    });
    await page.clock.install();
    await page.goto(`${server.url}/take-part`);
    await page.evaluate(
      (ids) => localStorage.setItem('hushrec.history.x', JSON.stringify(ids.map((id) => [id, 5]))),
      sampleItemIds.slice(0, 3),
    );
    await page.reload();
    const toggle = page.getByRole('switch', { name: 'Take part' });
    const state = page.locator('#state');
    const facts = await page.locator('dl.facts').textContent();
    expect(facts).toContain('each open for 60 minutes');
    expect(facts).toContain('Whom issuer has invited, once each');
    await page
      .getByText('A private window, another browser or cleared storage knows nothing of it')
      .waitFor();
    await page.locator('#believed label', { hasText: 'the university' }).click();

    // Without an invitation nothing is charged, and nothing is sent.
    await toggle.click();
    await state.getByText('no invitation was given').waitFor();
    expect(await page.locator('#budget').textContent()).toContain('nothing so far');
    expect((await kept(page)).filter((name) => /^(charged|run)-/.test(name))).toEqual([]);

    const [invitation] = await offices.desk!.invite(1);
    await page.getByLabel(/Invitation from issuer/).fill(invitation);
    await toggle.click();
    await state.getByText('On. Waiting: exchange 1 opens at').waitFor();
    await page.locator('#budget').getByText('1 run has cost this device ε = 8').waitFor();
    expect(puts).toEqual([]);
    expect(await page.locator('#sent').textContent()).toContain('Nothing was sent yet');
    expect(await copies(page)).toHaveLength(1);

    // Loaded again it goes on by itself, without the invitation, and still waits.
    await page.reload();
    await state.getByText('On. Waiting: exchange 1 opens at').waitFor();
    expect(await toggle.isChecked()).toBe(true);
    expect(puts).toEqual([]);

    // The window is open here, and not yet at the aggregators: what they do not take has left all the same.
    await page.clock.fastForward(hour + 60_000);
    await page.locator('#sent tbody tr', { hasText: 'not taken' }).first().waitFor();
    ahead = hour + 60_000;
    await page.clock.fastForward(600_000);
    await state.getByText('On. Handed in at exchange 1').waitFor();
    await expect.poll(async () => (await offices.aggregators[0].held(0, 10, 0)).length).toBe(1);
    const rows = page.locator('#sent tbody');
    await expect.poll(() => rows.getByText('taken', { exact: true }).count()).toBe(2);
    expect(await rows.locator('tr').count(), 'one line for each that left').toBe(puts.length);

    await toggle.click();
    await state.getByText('the copy of your ratings is removed').waitFor();
    await expect.poll(() => copies(page)).toEqual([]);
    const before = puts.length;
    await page.reload();
    await page.getByText('shares,').waitFor();
    expect(await toggle.isChecked()).toBe(false);
    // On again: the same report, which is there already, and the same participant.
    await toggle.click();
    await expect.poll(() => puts.length).toBeGreaterThan(before);
    await state.getByText('On. Handed in at exchange 1').waitFor();
    expect((await offices.aggregators[0].held(0, 10, 0)).length).toBe(1);
    expect(await page.locator('#budget').textContent()).toContain('1 run has cost this device ε = 8');
    await context.close();
  });
});
