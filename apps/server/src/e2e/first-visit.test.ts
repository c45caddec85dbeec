import { percentWords, posteriorOf } from '@hushrec/model/words';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { ModelList } from '@hushrec/page/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenOffices, openOffices } from '../../../../packages/federate/src/open-offices.test.data.js';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { sampleItemIds } from '../testing/sample-models.test.data.js';
import { startTestServer, type TestServer } from '../testing/test-server.test.data.js';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** What someone who was never here before wants, on a phone, from the front page on: taps are counted. */
describeInChromium('a first visit', (opened) => {
  let server: TestServer;
  let engine: Engine;
  let offices: OpenOffices;
  const counted: string[] = [];

  beforeAll(async () => {
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    const catalogue = {
      format: 'hushrec-catalogue-1',
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: sampleItemIds,
    } as const;
    const pace = { kind: 'reports', count: 3, longestSeconds: 100 } as const;
    offices = await openOffices(
      ['the site', 'the university'],
      catalogue,
      { engine },
      {
        epsilon: 8,
        mostPeople: 100,
        pace,
      },
    );
    const { charter } = offices.signed;
    server = await startTestServer({
      publishedNow: 'sample-eps-1',
      takePart: { board: charter.coordinator.url, aggregators: charter.aggregators.map(({ url }) => url) },
    });
  });
  afterAll(async () => {
    console.log(counted.join('\n'));
    await server?.close();
    await offices?.close();
    await engine?.close();
  });

  /** A phone at the front page; `tap` counts. */
  async function arrive() {
    const context = await opened.browser.newContext(phone);
    const page = await context.newPage();
    page.on('pageerror', (error) => expect.unreachable(error.message));
    await page.goto(server.url);
    let taps = 0;
    return {
      page,
      tap: async (target: Locator) => {
        taps++;
        await target.tap();
      },
      done: async (task: string, most: number) => {
        counted.push(`${task}: ${taps} ${taps === 1 ? 'tap' : 'taps'}`);
        expect(taps, task).toBeLessThanOrEqual(most);
        await context.close();
      },
    };
  }
  const tab = (page: Page, name: string) => page.locator('#tabs').getByRole('link', { name, exact: true });

  it('finds what ε = 1 promises', async () => {
    const { page, done } = await arrive();
    await page.getByText(/Someone who is 50% sure that you are in the data can become at most/).waitFor();
    const { models } = (await (await server.ask('/api/models')).json()) as ModelList;
    const { epsilon } = models.find(({ id }) => id === 'sample-eps-1')!;
    await page
      .getByText(`${percentWords(posteriorOf(0.5, epsilon!))} sure`)
      .first()
      .waitFor();
    await done('find what ε = 1 promises', 1);
  });

  it('rates three titles and sees why the list changed', async () => {
    const { page, tap, done } = await arrive();
    await tap(page.getByRole('link', { name: 'Try it on your taste' }));
    await page.waitForSelector('.strip-posters [data-item]');
    for (let time = 0; time < 3; time++) {
      const card = page.locator('.rate-card');
      const before = await card.getAttribute('data-item');
      await tap(card.locator('.stars label').nth(4));
      await expect.poll(() => card.getAttribute('data-item')).not.toBe(before);
    }
    await tap(page.locator('.strip'));
    await page.locator('dialog[open] .reason').first().waitFor();
    await done('rate three titles and see why the list changed', 6);
  });

  it('rates on the front page itself, where the list follows', async () => {
    const { page, tap, done } = await arrive();
    await tap(page.getByRole('button', { name: 'Show me three titles' }));
    const list = page.getByRole('list', { name: 'Your list' });
    const before = await list.allTextContents();
    const liked = page.getByRole('button', { name: /^Liked it/ });
    for (let title = 0; title < 3; title++) await tap(liked.nth(title));
    await page.getByText('Your list after 3 ratings').waitFor();
    expect(await list.allTextContents()).not.toEqual(before);
    expect(await liked.first().getAttribute('aria-pressed')).toBe('true');
    await done('rate three titles on the front page', 4);
  });

  it('sees what privacy costs', async () => {
    const { page, tap, done } = await arrive();
    const costs = page.locator('section', { has: page.getByRole('heading', { name: 'What privacy costs' }) });
    await costs.waitFor();
    expect(await costs.locator('li').allTextContents()).toEqual([
      'no privacy32',
      'ε = 2030',
      'ε = 1029',
      'ε = 528',
      'ε = 124',
      'bestseller list17',
    ]);
    await tap(costs.getByRole('link', { name: 'Compare' }));
    await page.getByText('At ε = 1, hush finds 24 of 100 held-out favourites.').waitFor();
    await done('see what privacy costs', 1);
  });

  it('checks a certificate', async () => {
    const { page, tap, done } = await arrive();
    await tap(page.getByRole('link', { name: 'Check the certificate' }));
    await page.getByText('Everything adds up').waitFor();
    await done('check a certificate', 2);
  });

  it('takes part and stops', async () => {
    const { page, tap, done } = await arrive();
    await page.evaluate(() => localStorage.clear());
    await tap(tab(page, 'Try it'));
    await page.waitForSelector('.strip-posters [data-item]');
    await tap(page.locator('.rate-card .stars label').nth(4));
    await tap(tab(page, 'More'));
    await tap(page.locator('main').getByRole('link', { name: 'Take part' }));
    await tap(page.getByRole('link', { name: 'Read the charter' }));
    await page.getByText('1 of your ratings').waitFor();
    await tap(page.locator('#believed label', { hasText: 'the university' }));
    const toggle = page.getByRole('switch', { name: 'Take part' });
    await tap(toggle);
    await page.locator('#sent tbody tr').first().waitFor();
    await tap(toggle);
    await expect.poll(() => page.locator('#state').textContent()).toContain('Nothing more is sent');
    await done('take part and stop', 8);
  });
});
