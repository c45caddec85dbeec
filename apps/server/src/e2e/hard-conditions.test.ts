import { inflateSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import {
  becomeOperator,
  ranking,
  rate,
  readySelector,
  spendOnce,
  visit,
} from '../testing/page-visits.test.data.js';

describeOnServer(
  'the page under hard conditions',
  { graceMs: 300, limits: { accountingMs: 60_000 } },
  (opened) => {
    beforeAll(spendOnce);

    describe('a server that answers 3 seconds late', () => {
      const late = async (page: Page) =>
        page.route('**/api/**', async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 3000));
          await route.continue().catch(() => {});
        });
      const writes = (page: Page) => {
        const seen: Request[] = [];
        page.on('request', (request) => {
          if (request.method() === 'POST' && !request.url().endsWith('/api/plans')) seen.push(request);
        });
        return seen;
      };

      it('starts nothing but the run under the promise that is shown', async () => {
        const page = await visit(opened, 'more');
        await becomeOperator(page, opened.server);
        const started = writes(page);
        await late(page);
        await page.goto(`${opened.server.url}/#/train`);
        const start = page.getByRole('button', { name: 'Train with this promise' });
        await start.waitFor();
        await page.getByText('All settings').click();
        // Whatever is changed: what can be pressed meanwhile starts nothing.
        const change: (() => Promise<unknown>)[] = [
          () => page.getByLabel('4. Privacy, ε').fill('7'),
          () => page.getByRole('radio', { name: /One rating/ }).check(),
          () => page.getByRole('radio', { name: /The whole person/ }).check(),
          () => page.getByLabel('δ', { exact: false }).first().fill('1e-5'),
          () => page.getByLabel('4. Privacy, ε').fill('2'),
        ];
        for (const each of change) {
          await each();
          await start.click({ force: true, noWaitAfter: true });
          await page.getByLabel('4. Privacy, ε').press('Enter');
          await page.waitForTimeout(400);
          expect(await start.isDisabled()).toBe(true);
          await start.click({ force: true });
        }
        expect(started).toEqual([]);
        await expect.poll(() => start.isDisabled()).toBe(false);
        await page.getByText('ε = 2, δ = 0.00001').or(page.getByText('ε = 2, δ = 1e-5')).first().waitFor();
        await start.click();
        // Pressed twice while the answer is on its way.
        await start.click({ force: true });
        await page.locator('li[data-run]').first().waitFor();
        expect(started.map((request) => request.postDataJSON())).toEqual([
          expect.objectContaining({ epsilon: 2, delta: 1e-5, method: 'hush' }),
        ]);
        await page.context().close();
      });

      it('shows no view over another that was left while it waited', async () => {
        const page = await visit(opened, 'more');
        await late(page);
        for (const view of ['ledger', 'compare', 'certificate/sample-eps-1', 'overview', 'plan']) {
          await page.goto(`${opened.server.url}/#/${view}`);
          await page.waitForTimeout(200);
        }
        await page.waitForSelector(readySelector.plan);
        await page.waitForTimeout(4000);
        expect(await page.locator('main h1').allTextContents()).toEqual(['How many people do I need?']);
        await page.context().close();
      });
    });

    describe('without a network', () => {
      it('keeps what was loaded, and says what was not', async () => {
        const page = await visit(opened, 'try/sample-eps-1', { allowErrors: true });
        await page.waitForSelector(readySelector.try);
        await rate(page, 'item-1-0', 5);
        const before = await ranking(page);
        await page.goto(`${opened.server.url}/#/plan`);
        await page.waitForSelector(readySelector.plan);
        await page.context().setOffline(true);
        await page.goto(`${opened.server.url}/#/try/sample-eps-1`);
        await page.waitForSelector('.results .ranking li');
        expect(await ranking(page)).toEqual(before);
        await page.goto(`${opened.server.url}/#/ledger`);
        await page.getByText('You seem to be offline').waitFor();
        await page.context().close();
      });
    });

    describe('on paper', () => {
      /** Colours that areas of a PDF are filled with, as red, green and blue of 255. */
      const fillsOf = (pdf: Buffer) => {
        const found = new Set<string>();
        const text = pdf.toString('latin1');
        for (const { index } of text.matchAll(/stream\r?\n/g)) {
          const start = index + (text[index + 6] === '\r' ? 8 : 7);
          if (text.slice(index - 3, index) === 'end') continue;
          let content: string;
          try {
            content = inflateSync(pdf.subarray(start, text.indexOf('endstream', start))).toString('latin1');
          } catch {
            continue;
          }
          for (const [, ...rgb] of content.matchAll(/(?:^|\s)([\d.]+) ([\d.]+) ([\d.]+) rg\b/g))
            found.add(rgb.map((share) => Math.round(255 * Number(share))).join(','));
        }
        return [...found].sort();
      };

      it('has the same bars and ruler with and without the printing of backgrounds, on one sheet', async () => {
        const page = await visit(opened, 'certificate/sample-eps-1');
        await page.waitForSelector(readySelector.certificate);
        await page.waitForTimeout(300);
        const [plain, full] = [
          await page.pdf({ format: 'A4' }),
          await page.pdf({ format: 'A4', printBackground: true }),
        ];
        expect(fillsOf(plain)).toEqual(fillsOf(full));
        // The accent of the belief bar and of the ruler, and the ground of the noise.
        expect(fillsOf(plain)).toEqual(expect.arrayContaining(['63,55,201', '246,234,214']));
        expect(plain.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
        await page.context().close();
      });

      it('would notice bars that are missing', async () => {
        const page = await visit(opened, 'certificate/sample-eps-1');
        await page.waitForSelector(readySelector.certificate);
        const before = fillsOf(await page.pdf({ format: 'A4' }));
        await page.evaluate(() => {
          for (const sheet of document.styleSheets)
            for (const rule of sheet.cssRules)
              if (rule instanceof CSSMediaRule && rule.conditionText === 'print')
                for (const each of rule.cssRules)
                  if (each instanceof CSSStyleRule) each.style.removeProperty('print-color-adjust');
        });
        expect(fillsOf(await page.pdf({ format: 'A4' }))).not.toEqual(before);
        await page.context().close();
      });
    });
  },
);
