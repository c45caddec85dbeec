import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLedgerLocation, openLedger } from '@hushrec/ledger';
import type { ModelList } from '@hushrec/page/contract';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it, onTestFailed } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { axeViolations, sidewaysScroll, smallTargets } from '../testing/page-checks.test.data.js';
import { sampleAccount, sampleItemIds, sampleTitles } from '../testing/sample-models.test.data.js';
import { startTestServer } from '../testing/test-server.test.data.js';

const views = [
  'try',
  'overview',
  'train',
  'compare',
  'certificate',
  'ledger',
  'plan',
  'take-part',
  'more',
] as const;
const readySelector = {
  try: '#request-count',
  overview: '.facts-row',
  plan: '.stand-out',
  'take-part': '.empty',
  more: '.links li',
  train: '#runs',
  compare: 'figure svg',
  certificate: '.checks li',
  ledger: '.card',
} as const;

describeOnServer('the page in Chromium', { graceMs: 300 }, (opened) => {
  /** A fresh person at the page; errors of the page fail the test. */
  async function visit(
    view: string,
    options: BrowserContextOptions & { url?: string; allowErrors?: boolean } = {},
  ): Promise<Page> {
    const { url = opened.server.url, allowErrors = false, ...rest } = options;
    const context = await opened.browser.newContext({ viewport: { width: 1200, height: 900 }, ...rest });
    const page = await context.newPage();
    if (!allowErrors) {
      page.on('pageerror', (error) => expect.unreachable(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') expect.unreachable(message.text());
      });
    }
    onTestFailed(async () => {
      if (process.env['HUSHREC_SCREENSHOTS'])
        await page
          .screenshot({ path: join(process.env['HUSHREC_SCREENSHOTS'], `failed-${view}.png`) })
          .catch(() => {});
    });
    await page.goto(`${url}/#/${view}`);
    return page;
  }
  const ranking = (page: Page, column = 0) =>
    page.locator('.columns > section').nth(column).locator('ol.ranking .item-title').allTextContents();
  const rate = async (page: Page, item: string, stars: number) => {
    await page.getByLabel('Find an item').fill(sampleTitles[sampleItemIds.indexOf(item)]);
    await page
      .locator(`ul[aria-label="Items to rate"] li[data-item="${item}"] label`)
      .nth(stars - 1)
      .click();
    await page.getByLabel('Find an item').fill('');
  };

  describe('Try it', () => {
    it('ranks by popularity first, then for the person as soon as something is rated, and explains', async () => {
      const page = await visit('try');
      await page.waitForSelector(readySelector.try);
      expect((await ranking(page, 2))[0]).toBe('Harbour Letters');
      await rate(page, 'item-1-0', 5);
      await rate(page, 'item-0-0', 1);
      const titles = await ranking(page, 2);
      expect(titles.slice(0, 5).every((title) => title.startsWith('Mountain'))).toBe(true);
      expect(titles).not.toContain('Mountain Letters');
      expect(await page.locator('.columns > section').nth(2).locator('.because').first().textContent()).toBe(
        'Because of Mountain Letters',
      );
      expect(await page.locator('.columns > section').count()).toBe(3);
      const shared = (await ranking(page, 1)).filter((title) => titles.includes(title)).length;
      await page.locator('.columns > section').nth(1).getByText(`${shared} of 10 shared`).waitFor();
      await page.context().close();
    });

    it('keeps the ratings in this browser, takes them back, and forgets them', async () => {
      const page = await visit('try');
      await page.waitForSelector(readySelector.try);
      await rate(page, 'item-2-3', 4);
      await page.reload();
      await page.waitForSelector('ul[aria-label="Your ratings"] li[data-item="item-2-3"]');
      await page.getByRole('button', { name: 'Remove your rating of Orchard Stories' }).first().click();
      expect(await page.locator('#rated').textContent()).toBe('Your ratings (0)');
      await rate(page, 'item-2-3', 4);
      await page.getByRole('button', { name: 'Forget all' }).click();
      expect(await page.locator('#rated').textContent()).toBe('Your ratings (0)');
      await page.context().close();
    });

    it('works by keyboard alone', async () => {
      const page = await visit('try');
      await page.waitForSelector(readySelector.try);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
      await page.getByLabel('Find an item').focus();
      await page.keyboard.type('railway gar');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      const chosen = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      expect(chosen).toBe('3 of 5');
      expect(
        await page.locator('ul[aria-label="Your ratings"] li[data-item="item-3-4"] label.on').count(),
      ).toBe(3);
      await page.context().close();
    });

    it('goes on without a network', async () => {
      const page = await visit('try');
      await page.waitForSelector(readySelector.try);
      await page.context().setOffline(true);
      await rate(page, 'item-3-0', 5);
      expect((await ranking(page, 2))[0]).toMatch(/^Railway/);
      await page.context().close();
    });

    it('shows pictures and links of the catalogue, and asks for none of them after loading', async () => {
      const page = await visit('try');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.waitForSelector(readySelector.try);
      await rate(page, 'item-1-0', 5);
      await rate(page, 'item-0-0', 1);
      const row = (item: string) => page.locator(`.columns > section:last-child li[data-item="${item}"]`);
      expect(await row('item-1-2').locator('img.poster').getAttribute('src')).toMatch(/^blob:/);
      expect(await row('item-1-3').locator('svg.poster').count()).toBe(1);
      const link = row('item-1-1').getByRole('link');
      expect(await link.getAttribute('href')).toBe('https://shop.example/lantern');
      expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
      expect(asked.filter((path) => path.startsWith('/pictures/'))).toEqual(['/pictures/winter.png']);
      expect(await page.locator('#request-count').textContent()).toBe('0');
      await page.context().close();
    });

    it('lets models be chosen, up to three', async () => {
      const page = await visit('try');
      await page.waitForSelector(readySelector.try);
      await page.locator('summary', { hasText: 'Models to compare' }).click();
      await page.getByRole('checkbox', { name: /sample-eps-5/ }).uncheck();
      expect(await page.locator('.columns > section').count()).toBe(2);
      await page.getByRole('checkbox', { name: /sample-eps-5/ }).check();
      expect(await page.locator('.columns > section').count()).toBe(3);
      await page.context().close();
    });
  });

  describe('what leaves the browser', () => {
    interface Seen {
      readonly text: string;
    }
    /** Everything a request carries, decoded as far as a simple hiding place would go. */
    function record(page: Page): Seen[] {
      const seen: Seen[] = [];
      page.on('request', (request) => {
        const headers = JSON.stringify(request.headers());
        const plain = `${request.method()} ${request.url()} ${headers} ${request.postData() ?? ''}`;
        seen.push({ text: `${plain} ${decodeURIComponent(plain.replace(/%(?![0-9a-f]{2})/gi, '%25'))}` });
      });
      page.on('websocket', (socket) => seen.push({ text: `WEBSOCKET ${socket.url()}` }));
      return seen;
    }
    const rated = ['item-0-2', 'item-1-5', 'item-3-7'];
    const tellsOf = (seen: readonly Seen[]) =>
      seen.filter(({ text }) =>
        rated.some((item) => text.includes(item) || text.includes(sampleTitles[sampleItemIds.indexOf(item)])),
      );

    it('is nothing at all while rating, and no trace of the ratings in the whole session', async () => {
      const page = await visit('try');
      const seen = record(page);
      await page.waitForSelector(readySelector.try);
      const before = seen.length;
      for (const [index, item] of rated.entries()) await rate(page, item, 1 + 2 * index);
      await page.waitForTimeout(300);
      expect(seen.length).toBe(before);
      expect(await page.locator('#request-count').textContent()).toBe('0');
      for (const view of [...views.slice(1), 'try']) {
        await page.goto(`${opened.server.url}/#/${view}`);
        await page.waitForSelector(readySelector[view as keyof typeof readySelector]);
      }
      await page.reload();
      await page.waitForSelector(readySelector.try);
      expect(seen.length).toBeGreaterThan(before);
      expect(tellsOf(seen)).toEqual([]);
      expect(seen.every(({ text }) => text.includes(opened.server.url))).toBe(true);

      // The recording would notice: a request that does carry a rating is found, and counted by the page
      // itself.
      await page.evaluate(() =>
        fetch(`/api/models?seen=${encodeURIComponent('item-1-5')}`).then((answer) => answer.text()),
      );
      expect(tellsOf(seen)).toHaveLength(1);
      await expect.poll(() => page.locator('#request-count').textContent()).toBe('1');
      await page.context().close();
    });

    it('cannot go elsewhere: the policy forbids it', async () => {
      const page = await visit('try', { allowErrors: true });
      await page.waitForSelector(readySelector.try);
      const outcome = await page.evaluate(() =>
        fetch('http://127.0.0.1:9/x').then(
          () => 'sent',
          (error: Error) => error.message,
        ),
      );
      expect(outcome).not.toBe('sent');
      const violations = await page.evaluate(
        () =>
          new Promise<string>((resolve) => {
            document.addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
            void fetch('http://127.0.0.1:9/y').catch(() => {});
          }),
      );
      expect(violations).toBe('connect-src');
      await page.context().close();
    });
  });

  describe('Train', () => {
    const signIn = async (page: Page, token: string) => {
      await page.getByLabel('Operator token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };

    it('refuses a wrong token, then shows the promise before the start and follows the run to its end', async () => {
      const page = await visit('train', { allowErrors: true });
      await signIn(page, 'not-the-token-not-the-token');
      await page.getByText('This token is not valid.').waitFor();
      await signIn(page, opened.server.operatorToken!);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('dpals');
      await page.getByText('that you are in the data').first().waitFor();
      await page.getByLabel('4. Privacy, ε').fill('3');
      await page.getByText('ε = 3, δ = 1e-6').first().waitFor();
      await page.getByLabel('4. Privacy, ε').fill('9');
      await page.getByText('can become more than 99.9 % sure by studying this model').waitFor();
      await page.getByLabel('4. Privacy, ε').fill('3');
      await page.getByText('ε = 3, δ = 1e-6').first().waitFor();
      await page.getByLabel('Name of the model').fill('page-made');
      await page.getByRole('button', { name: 'Train with this promise' }).click();
      const run = page.locator('li[data-run]').first();
      await run.getByText('done', { exact: true }).waitFor();
      expect(await run.textContent()).toContain('Quality: rmse 0.9 (0.8 to 1)');
      await page.context().close();
    });

    it('holds a model back where too few titles stand out, until an operator publishes it', async () => {
      const page = await visit('train');
      await signIn(page, opened.server.operatorToken!);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('dpals');
      await page.getByLabel('Name of the model').fill('page-held');
      expect(await page.getByLabel('Titles that must stand out').isVisible()).toBe(false);
      await page.getByLabel('Publish only if enough titles stand out').check();
      await page.getByLabel('Titles that must stand out').fill('31');
      await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
      await page.getByRole('button', { name: 'Train with this promise' }).click();
      const run = page.locator('li[data-run]').first();
      await run.getByText('not published').waitFor();
      expect(await run.textContent()).toContain('from 31 titles on');
      expect(await run.getByRole('link', { name: 'Try it' }).count()).toBe(0);
      await run.getByRole('button', { name: 'Publish page-held' }).click();
      await run.getByRole('link', { name: 'Try it' }).waitFor();
      await page.context().close();
    });

    it('opens Try it when the model is there, where that was asked for', async () => {
      const page = await visit('train');
      await signIn(page, opened.server.operatorToken!);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('dpals');
      await page.getByLabel('Name of the model').fill('page-tried');
      await page.getByLabel('Open Try it with the new model').check();
      await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
      await page.getByRole('button', { name: 'Train with this promise' }).click();
      await page.waitForSelector(readySelector.try);
      await page.context().close();
    });

    it('learns likes where there are stars, with methods that can', async () => {
      const page = await visit('train', { allowErrors: true });
      await signIn(page, opened.server.operatorToken!);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('als');
      expect(await page.getByLabel('A like is a rating of at least').count()).toBe(0);
      await page.getByText('Rank titles').click();
      expect(await page.getByLabel('Method').inputValue()).toBe('ials');
      expect(await page.locator('option[value="als"]').isDisabled()).toBe(true);
      await page.getByLabel('The whole person').check();
      const [planned] = await Promise.all([
        page.waitForRequest(
          (request) => request.url().endsWith('/api/plans') && request.postDataJSON().liked === 4.5,
        ),
        page.getByLabel('A like is a rating of at least').fill('4.5'),
      ]);
      expect(planned.postDataJSON()).toMatchObject({ method: 'hush', liked: 4.5 });
      await page.getByLabel('A like is a rating of at least').fill('7');
      await page.getByText('Likes from 7 on would leave nothing').waitFor();
      expect(await page.getByRole('button', { name: 'Train with this promise' }).isDisabled()).toBe(true);
      await page.getByText('Predict stars').click();
      await page.getByText('ε = 1, δ = 1e-6').first().waitFor();
      await page.context().close();
    });

    it('goes on as a reader when the server no longer knows the token', async () => {
      const page = await visit('try', { allowErrors: true });
      await page.waitForSelector(readySelector.try);
      await page.evaluate(() => sessionStorage.setItem('hushrec.token', 'token-of-an-earlier-server'));
      await page.reload();
      await page.waitForSelector(readySelector.try);
      await page.goto(`${opened.server.url}/#/train`);
      await page.getByText('Operators only').waitFor();
      await page.context().close();
    });

    it('says what is wrong with settings and does not start', async () => {
      const page = await visit('train', { allowErrors: true });
      await signIn(page, opened.server.operatorToken!);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('dpals');
      await page.locator('input[name="rank"]').fill('100000');
      await page.getByText('This run is not possible.').waitFor();
      expect(await page.getByRole('button', { name: 'Train with this promise' }).isDisabled()).toBe(true);
      await page.context().close();
    });

    it('stops a run and resumes it', async () => {
      const page = await visit('train');
      await signIn(page, opened.server.operatorToken!);
      await page.getByRole('radio', { name: /Nobody/ }).check();
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('als');
      await page.getByText('No privacy: nobody is protected.').first().waitFor();
      await page.getByLabel('Name of the model').fill('slow-page');
      await page.getByRole('button', { name: 'Train with this promise' }).click();
      await page.getByText(/training \(\d+ of 2000\)/).waitFor();
      await page.getByText('30 of 40', { exact: true }).waitFor();
      expect(await page.locator('.running .steps li').allTextContents()).toContain('Taste, title by title');
      await page
        .getByRole('img', { name: /Signal over noise by popularity.*none, 0.7, 1.6, 2.9, 4.1/ })
        .waitFor();
      await page.getByRole('button', { name: 'Stop slow-page' }).click();
      await page.getByRole('button', { name: 'Resume slow-page' }).click();
      await page.locator('li[data-run]').first().getByText('done', { exact: true }).waitFor();
      await page.context().close();
    });
  });

  describe('Compare', () => {
    it('draws curves with spread, slices and noise, zooms, and offers the numbers', async () => {
      const page = await visit('compare', { acceptDownloads: true });
      await page.waitForSelector(readySelector.compare);
      expect(await page.locator('figure svg.chart').count()).toBe(2);
      // What published models reach was measured on people: operators see it.
      await page.evaluate(
        (token) => sessionStorage.setItem('hushrec.token', token),
        opened.server.operatorToken!,
      );
      await page.reload();
      await page.getByRole('heading', { name: 'Published models' }).waitFor();
      expect(await page.locator('figure svg.chart').count()).toBe(4);
      expect(await page.locator('figure').first().locator('.band').count()).toBe(2);
      const first = page.locator('figure').first();
      const before = await first.locator('polyline').first().getAttribute('points');
      await first.getByRole('button', { name: 'Zoom in' }).click();
      expect(await first.locator('polyline').first().getAttribute('points')).not.toBe(before);
      await first.getByRole('button', { name: 'Show all' }).click();
      expect(await first.locator('polyline').first().getAttribute('points')).toBe(before);
      const box = (await first.locator('svg').boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
      expect(await first.locator('polyline').first().getAttribute('points')).not.toBe(before);
      for (const [kind, start] of [
        ['csv', 'series,'],
        ['svg', '<svg'],
        ['png', '\u0089PNG'],
      ] as const) {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          first.getByRole('button', { name: `Download rmse-against-whole-people-protected.${kind}` }).click(),
        ]);
        expect(download.suggestedFilename()).toBe(`rmse-against-whole-people-protected.${kind}`);
        expect(readFileSync(await download.path(), 'latin1').startsWith(start)).toBe(true);
      }
      await page.context().close();
    });
  });

  describe('Certificate', () => {
    it('shows every release and recomputes the guarantee in the browser', async () => {
      const page = await visit('certificate/sample-eps-1');
      await page.waitForSelector(readySelector.certificate);
      expect(await page.locator('.checks li.failed').count()).toBe(0);
      await page.getByText('Everything adds up').waitFor();
      expect(await page.locator('table').last().textContent()).toContain('item-statistics');
      await page.getByLabel('Model').selectOption('sample-no-privacy');
      await page.getByText('This model gives no privacy guarantee.').waitFor();
      await page.context().close();
    });

    it('prints on one sheet of A4', async () => {
      const page = await visit('certificate/sample-eps-1');
      await page.waitForSelector(readySelector.certificate);
      const sheet = (await page.pdf({ format: 'A4' })).toString('latin1');
      expect(sheet.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      await page.context().close();
    });

    it('shows no other certificate at an unknown address', async () => {
      const page = await visit('certificate/sample-eps-11');
      await page.getByText('There is no model “sample-eps-11”').waitFor();
      expect(await page.locator('.promise').count()).toBe(0);
      await page.getByRole('link', { name: /Did you mean sample-eps-1/ }).waitFor();
      await page.context().close();
    });

    it('marks a missing signature as missing, never as passed', async () => {
      const page = await visit('certificate/sample-eps-1');
      await page.waitForSelector(readySelector.certificate);
      expect(await page.locator('.checks li.missing').first().textContent()).toMatch(/Not signed/);
      expect(await page.locator('.checks li.ok').filter({ hasText: 'ignature' }).count()).toBe(0);
      await page.context().close();
    });

    it('says which folder the server does not publish, and why', async () => {
      const damaged = join(opened.server.folder, 'models', 'damaged');
      mkdirSync(damaged);
      writeFileSync(join(damaged, 'certificate.json'), '{}');
      await new Promise((resolve) => setTimeout(resolve, 1100)); // the server looks once a second
      const page = await visit('certificate');
      await page.getByText('damaged is not published.').waitFor();
      await page.context().close();
      rmSync(damaged, { recursive: true });
    });

    it('refuses a model whose bytes were changed on the way', async () => {
      const page = await visit('ledger');
      await page.route('**/models/sample-eps-1/model.json', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace('Harbour', 'Harvour') });
      });
      await page.goto(`${opened.server.url}/#/certificate/sample-eps-1`);
      await page.getByText('its content is not what the certificate was issued for').waitFor();
      await page.context().close();
    });
  });

  describe('Ledger', () => {
    it('says that nothing was spent, then shows budget and entries', async () => {
      const page = await visit('ledger');
      await page.getByText('Nothing has been spent').waitFor();
      const ledger = await openLedger(defaultLedgerLocation(), { create: true });
      const protection = { unit: 'user', relation: 'add-remove' } as const;
      await ledger.grant(sampleAccount, { epsilon: 4, delta: 1e-6, protection });
      await ledger.spend({
        account: sampleAccount,
        jobKey: 'job',
        method: 'dpals',
        protection,
        charge: { kind: 'event', event: { kind: 'gaussian', sensitivity: 1, noise: 4 } },
      });
      await ledger.close();
      await page.reload();
      await page.getByText('of ε = 4 spent').waitFor();
      expect(await page.locator('tbody tr').count()).toBe(2);

      await page.evaluate(
        (token) => sessionStorage.setItem('hushrec.token', token),
        opened.server.operatorToken!,
      );
      await page.goto(`${opened.server.url}/#/train`);
      await page.getByText('All settings').click();
      await page.getByLabel('Method').selectOption('dpals');
      await page.getByLabel('4. Privacy, ε').fill('2');
      await page.getByText(/Account after this run: \S+ → \S+ of 4/).waitFor();
      await page.getByLabel('4. Privacy, ε').fill('6');
      await page.getByText('This run would be refused').waitFor();
      expect(await page.getByRole('button', { name: 'Train with this promise' }).isDisabled()).toBe(true);
      const asked = {
        dataset: 'sample',
        method: 'dpals',
        epsilon: 6,
        delta: 1e-6,
        settings: {},
        model: 'too-much',
      };
      expect((await opened.server.post('/api/runs', asked)).status).toBe(409);

      // What a budget cannot hold is made only where someone says so.
      await page.getByRole('radio', { name: /Nobody/ }).check();
      await page.getByText('Outside of the budget.').waitFor();
      const start = page.getByRole('button', { name: 'Train with this promise' });
      expect(await start.isDisabled()).toBe(true);
      await page.getByLabel('Make it all the same, and write that down in the ledger').check();
      const [posted] = await Promise.all([
        page.waitForRequest((request) => request.url().endsWith('/api/runs') && request.method() === 'POST'),
        start.click(),
      ]);
      expect(posted.postDataJSON()).toMatchObject({ recordUnprotected: true });
      await page.locator('li[data-run]').first().getByText('done', { exact: true }).waitFor();
      await page.context().close();
    });

    it('gives a plan that fits as a line for a timer', async () => {
      const page = await visit('ledger');
      await page.getByText('That fits the grant').waitFor();
      await page.getByRole('button', { name: 'Use as refresh plan' }).click();
      const line = page.locator('.refresh-plan code');
      expect(await line.textContent()).toMatch(
        /^0 3 1 \* \* hushrec refresh sample --model models\/\S+ --epsilon 0\.5$/,
      );
      await page.getByText('quarterly').click();
      await page.getByRole('button', { name: 'Use as refresh plan' }).click();
      expect(await line.textContent()).toContain('0 3 1 */3 * ');
      await page.getByText('weekly').click();
      await page.getByText('the next would be refused').waitFor();
      expect(await page.getByRole('button', { name: 'Use as refresh plan' }).count()).toBe(0);
      await page.context().close();
    });
  });

  describe('decisions in the ledger', () => {
    it('are made by operators, with a reason, and the entries can be taken away', async () => {
      expect((await opened.server.ask('/api/ledger/sample/refuse', { method: 'POST' })).status).toBe(403);
      const page = await visit('ledger', { acceptDownloads: true });
      await page
        .getByText(/Operators set and stop budgets here|Nothing has been spent/)
        .first()
        .waitFor();
      await page.evaluate(
        (token) => sessionStorage.setItem('hushrec.token', token),
        opened.server.operatorToken!,
      );
      await page.reload();
      await page.getByLabel('New grant, ε').fill('7');
      await page.getByText('At ε = 7, 50 % becomes at most > 99.9 %: weak.').waitFor();
      await page.getByRole('button', { name: 'Grant 7' }).click();
      await page.getByRole('alert').getByText('Say why').waitFor();
      await page.getByLabel('Reason').fill('agreed by the members, 3 May');
      await page.getByRole('button', { name: 'Grant 7' }).click();
      await page.getByText('of ε = 7 spent').waitFor();
      await page.getByText('agreed by the members, 3 May').waitFor();
      await page.getByLabel('Reason').fill('erasure under way');
      await page.getByRole('button', { name: 'Refuse all further runs' }).click();
      await page.getByText('Spending is stopped until a new grant.').waitFor();
      for (const [kind, start] of [
        ['CSV', 'entry,at,kind,'],
        ['JSON', '{'],
      ] as const) {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: `Export as ${kind}` }).click(),
        ]);
        const text = readFileSync(await download.path(), 'utf8');
        expect(text.startsWith(start)).toBe(true);
        expect(text).toContain('erasure under way');
      }
      await page.context().close();
    });
  });

  describe('on a phone', () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    it('shows the effect of a tap on a star in the same screen, at once and without scrolling', async () => {
      const page = await visit('try', phone);
      await page.waitForSelector('.strip-posters [data-item]');
      const star = page.locator('.rate-card .stars label').nth(4);
      expect((await star.boundingBox())!.y).toBeLessThan(844);
      await page.evaluate(() => {
        document.querySelector('.rate-card')!.addEventListener(
          'change',
          () => {
            const began = performance.now();
            requestAnimationFrame(() => {
              document.body.dataset['took'] = String(performance.now() - began);
            });
          },
          { capture: true, once: true },
        );
      });
      await star.tap();
      const changed = page.locator('.strip-posters .just').first();
      await changed.waitFor();
      const box = (await changed.boundingBox())!;
      expect(box.y).toBeGreaterThan(0);
      expect(box.y + box.height).toBeLessThanOrEqual(844);
      expect(await page.evaluate(() => scrollY)).toBe(0);
      expect(await page.locator('.strip').textContent()).toMatch(/\d new|moved up/);
      const took = Number(await page.evaluate(() => document.body.dataset['took']));
      console.log(`From a tap on a star to the changed list: ${took.toFixed(1)} ms`);
      await page.locator('.strip').tap();
      await page.locator('dialog[open] .because').first().waitFor();
      await page.getByRole('button', { name: 'Close' }).tap();
      await page.context().close();
    });

    it('asks for the next title by itself, and skips what was not seen', async () => {
      const page = await visit('try', phone);
      await page.waitForSelector('.rate-card .stars');
      const shown = () => page.locator('.rate-card').getAttribute('data-item');
      const first = await shown();
      await page.locator('.rate-card .stars label').nth(3).tap();
      await expect.poll(shown, { timeout: 5000 }).not.toBe(first);
      const second = await shown();
      await page.getByRole('button', { name: 'Not seen' }).tap();
      expect(await shown()).not.toBe(second);
      await page.context().close();
    });
  });

  describe('states', () => {
    it('are designed: nothing there, waiting, failed and tried again', async () => {
      const emptyServer = await startTestServer();
      try {
        const page = await visit('try', { allowErrors: true });
        await page.waitForSelector(readySelector.try);
        let answer: 'empty' | 'fail' | 'wait' | 'real' = 'empty';
        await page.route('**/api/models', async (route) => {
          if (answer === 'empty') await route.fulfill({ json: { models: [], broken: [] } });
          else if (answer === 'fail') await route.abort();
          else if (answer === 'wait')
            await new Promise((resolve) => setTimeout(resolve, 500)).then(() => route.continue());
          else await route.continue();
        });
        await page.reload();
        await page.getByText('No models yet').waitFor();
        answer = 'fail';
        await page.reload();
        await page.getByRole('alert').getByText('The server does not answer.').waitFor();
        answer = 'wait';
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('status').getByText('Loading models').waitFor();
        await page.waitForSelector(readySelector.try);
        await page.context().close();
      } finally {
        await emptyServer.close();
      }
    });
  });

  it('counts bytes while models load, and says that this is the last thing asked for', async () => {
    const page = await visit('overview');
    const held: (() => void)[] = [];
    await page.route('**/models/sample-eps-5/model.json', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await page.goto(`${opened.server.url}/#/try`);
    await page.getByRole('status').getByText('Loading 3 models').waitFor();
    await page.getByText('The last thing this page will ask the network for.').waitFor();
    const share = () =>
      page.getByRole('progressbar').evaluate((bar) => {
        const { value, max } = bar as HTMLProgressElement;
        return value / max;
      });
    // Everything but the file that is held back.
    const { models } = (await (await opened.server.ask('/api/models')).json()) as ModelList;
    const all = models.filter(({ id }) => id.startsWith('sample')).reduce((sum, { bytes }) => sum + bytes, 0);
    const missing = statSync(join(opened.server.folder, 'models', 'sample-eps-5', 'model.json')).size;
    await expect.poll(share, { timeout: 5000 }).toBeCloseTo(1 - missing / all, 6);
    for (const go of held) go();
    await page.waitForSelector(readySelector.try);
    await page.context().close();
  });

  describe('accessibility', () => {
    const settings = [
      ['wide, light', { colorScheme: 'light', viewport: { width: 1200, height: 900 } }],
      ['phone, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
      ['wide, dark', { colorScheme: 'dark', viewport: { width: 1360, height: 900 } }],
      ['phone, light', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
    ] as const;
    it.each(settings)('has no violations and no sideways scrolling (%s)', async (_, options) => {
      const page = await visit('try', options);
      await page.waitForSelector(readySelector.try);
      if (options.viewport.width < 500) await page.locator('.rate-card .stars label').nth(4).click();
      else await rate(page, 'item-1-0', 5);
      await page.evaluate(
        (token) => sessionStorage.setItem('hushrec.token', token),
        opened.server.operatorToken!,
      );
      for (const view of views) {
        await page.goto(`${opened.server.url}/#/${view}`);
        await page.waitForSelector(readySelector[view]);
        if (view === 'train') await page.getByText('The promise you are about to make').waitFor();
        expect(await axeViolations(page), view).toEqual([]);
        expect(await sidewaysScroll(page), view).toBeLessThanOrEqual(0);
        if (options.viewport.width < 500) expect(await smallTargets(page), view).toEqual([]);
        if (process.env['HUSHREC_SCREENSHOTS']) {
          await page.screenshot({
            path: join(process.env['HUSHREC_SCREENSHOTS'], `${view}-${options.colorScheme}.png`),
            fullPage: true,
          });
        }
      }
      await page.context().close();
    });
  });
});
