import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { rate, readySelector, views, visit } from '../testing/page-visits.test.data.js';
import { sampleItemIds, sampleTitles } from '../testing/sample-models.test.data.js';

describeOnServer('what leaves the browser', { graceMs: 300 }, (opened) => {
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
    const page = await visit(opened, 'try');
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
    const page = await visit(opened, 'try', { allowErrors: true });
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
