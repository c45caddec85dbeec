import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { longName, writeHostileModels } from '../testing/hostile-catalogue.test.data.js';
import { axeViolations, coveredTargets, sidewaysScroll, tinyText } from '../testing/page-checks.test.data.js';
import { becomeOperator, readySelector, spendOnce, visit } from '../testing/page-visits.test.data.js';

const sizes = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  'phone, landscape': { viewport: { width: 667, height: 375 }, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  // 1280×720 at a zoom of 200%.
  'small laptop, zoomed': { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 },
  'small laptop': { viewport: { width: 1280, height: 720 } },
  laptop: { viewport: { width: 1440, height: 900 } },
} as const;

describeOnServer('a hostile catalogue in Chromium', { graceMs: 300 }, (opened) => {
  beforeAll(async () => {
    await spendOnce();
    const models = join(opened.server.folder, 'models');
    for (const id of ['sample-eps-1', 'sample-eps-5', 'sample-no-privacy'])
      rmSync(join(models, id), { recursive: true });
    await writeHostileModels(models);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // the server looks once a second
  });

  /** What is there to be seen, and what is then done before it is looked at. */
  const views: readonly (readonly [address: string, ready: string, act?: (page: Page) => Promise<void>])[] = [
    ['overview', readySelector.overview],
    [`try/${longName(12)}`, readySelector.try, rateTwo],
    ['try/large-4', readySelector.try, rateTwo],
    [`certificate/${longName(12)}`, readySelector.certificate],
    ['plan', readySelector.plan],
    ['compare', readySelector.compare],
    ['ledger', readySelector.ledger],
    ['train', readySelector.train],
    ['take-part', '.halves-figure'],
    ['more', readySelector.more],
  ];

  it.each(
    Object.entries(sizes).flatMap(([name, size]) =>
      (['light', 'dark'] as const).map((colorScheme) => [name, colorScheme, size] as const),
    ),
  )('breaks no view: %s, %s', async (name, colorScheme, size) => {
    const page = await visit(opened, 'more', { ...size, colorScheme, reducedMotion: 'reduce' });
    await becomeOperator(page, opened.server);
    const faults: string[] = [];
    for (const [view, ready, act] of views) {
      await page.goto('about:blank');
      await page.goto(`${opened.server.url}/#/${view}`);
      await page.waitForSelector(ready, { state: 'attached' });
      if (view === 'train') await page.getByText('The promise you are about to make').waitFor();
      const bare = await page.locator('.ranking li:not(:has(.poster))').count();
      await act?.(page);
      await page.evaluate(() => document.fonts.ready);
      const scroll = await sidewaysScroll(page);
      for (const fault of [
        ...(scroll > 0 ? [`scrolls ${scroll} px sideways`] : []),
        ...(bare > 0 ? [`${bare} rows without a cover`] : []),
        ...(await tinyText(page)),
        ...(await coveredTargets(page)),
        ...(await axeViolations(page)),
      ])
        faults.push(`${view.slice(0, 12)}: ${fault}`);
      const folder = process.env['HUSHREC_SCREENSHOTS'];
      if (folder)
        await page.screenshot({
          path: join(folder, `hostile-${view.slice(0, 9).replace('/', '-')}-${name}-${colorScheme}.png`),
          fullPage: true,
        });
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  async function rateTwo(page: Page): Promise<void> {
    for (const star of [4, 0]) {
      const stars = page.locator('.rate-card .stars, ul[aria-label="Items to rate"] .stars');
      await stars.locator('visible=true').first().locator('label').nth(star).click();
      await page.waitForTimeout(900);
    }
  }
});
