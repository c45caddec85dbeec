import { join } from 'node:path';
import { defaultLedgerLocation, openLedger } from '@hushrec/ledger';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import type { InChromium } from '../../../../tools/describe-in-chromium.mjs';
import { sampleAccount, sampleItemIds, sampleTitles } from './sample-models.test.data.js';
import type { TestServer } from './test-server.test.data.js';

export const views = [
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

/** What is there once a view is. */
export const readySelector = {
  try: '.try-it[data-whole] #request-count',
  overview: '.facts-row',
  plan: '.stand-out',
  'take-part': '.halves-figure',
  more: '.links li',
  train: '#runs',
  compare: 'figure svg',
  certificate: '.checks li',
  ledger: '.card',
} as const;

/** A fresh person at a view of the test server's page; errors of the page fail the test. */
export async function visit(
  opened: InChromium & { readonly server: Pick<TestServer, 'url'> },
  view: string,
  options: BrowserContextOptions & { allowErrors?: boolean } = {},
): Promise<Page> {
  const { allowErrors = false, ...rest } = options;
  const context = await opened.browser.newContext({ viewport: { width: 1200, height: 900 }, ...rest });
  // The limit of the test is enough: a busy machine may be slow.
  context.setDefaultTimeout(0);
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
  await page.goto(`${opened.server.url}/#/${view}`);
  return page;
}

/** Titles of the list of Try it, the first first. */
export function ranking(page: Page): Promise<string[]> {
  return page.locator('.results ol.ranking .item-title').allTextContents();
}

/** Finds one of the sample titles and rates it. */
export async function rate(page: Page, item: string, stars: number): Promise<void> {
  await page.getByLabel('Find an item').fill(sampleTitles[sampleItemIds.indexOf(item)]);
  await page
    .locator(`ul[aria-label="Items to rate"] li[data-item="${item}"] label`)
    .nth(stars - 1)
    .click();
  await page.getByLabel('Find an item').fill('');
}

/** Makes the person an operator from the next look on. */
export function becomeOperator(
  page: Page,
  { operatorToken }: Pick<TestServer, 'operatorToken'>,
): Promise<void> {
  return page.evaluate((token) => sessionStorage.setItem('hushrec.token', token), operatorToken!);
}

/** A grant of ε = 4 to the sample data's people, and a run that has spent some of it. */
export async function spendOnce(): Promise<void> {
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
}
