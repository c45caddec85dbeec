import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { axeViolations, sidewaysScroll, smallTargets } from '../testing/page-checks.test.data.js';
import {
  becomeOperator,
  rate,
  readySelector,
  spendOnce,
  views,
  visit,
} from '../testing/page-visits.test.data.js';

describeOnServer('the page in Chromium', { graceMs: 300 }, (opened) => {
  beforeAll(spendOnce);

  describe('states', () => {
    it('are designed: nothing there, waiting, failed and tried again', async () => {
      const page = await visit(opened, 'try', { allowErrors: true });
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
    });
  });

  describe('accessibility', () => {
    const settings = [
      ['wide, light', { colorScheme: 'light', viewport: { width: 1200, height: 900 } }],
      ['phone, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
      ['wide, dark', { colorScheme: 'dark', viewport: { width: 1360, height: 900 } }],
      ['phone, light', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
    ] as const;
    it.each(settings)('has no violations and no sideways scrolling (%s)', async (_, options) => {
      const page = await visit(opened, 'try', options);
      await page.waitForSelector(readySelector.try);
      if (options.viewport.width < 500) await page.locator('.rate-card .stars label').nth(4).click();
      else await rate(page, 'item-1-0', 5);
      await becomeOperator(page, opened.server);
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
