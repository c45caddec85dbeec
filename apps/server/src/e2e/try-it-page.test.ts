import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelList } from '@hushrec/page/contract';
import { describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { ranking, rate, readySelector, visit } from '../testing/page-visits.test.data.js';

describeOnServer('Try it in Chromium', { graceMs: 300 }, (opened) => {
  it('ranks by popularity first, then for the person as soon as something is rated, and explains', async () => {
    const page = await visit(opened, 'try');
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
    // What is marked in the list without privacy is what a list beside it has too.
    const beside = [...(await ranking(page, 0)), ...(await ranking(page, 1))];
    expect(await page.locator('.columns > section').nth(2).locator('.shared-dot').count()).toBe(
      titles.filter((title) => beside.includes(title)).length,
    );
    await page.context().close();
  });

  it('shows the model that was asked for among the first', async () => {
    const page = await visit(opened, 'try/sample-eps-5', { viewport: { width: 390, height: 844 } });
    await page.waitForSelector('.strip-posters [data-item]');
    expect(await page.getByLabel('Model').inputValue()).toBe('sample-eps-5');
    await page.context().close();
  });

  it('keeps the ratings in this browser, takes them back, and forgets them', async () => {
    const page = await visit(opened, 'try');
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
    const page = await visit(opened, 'try');
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

  it('keeps the focus on what is rated by keyboard, wherever it moves', async () => {
    const page = await visit(opened, 'try');
    await page.waitForSelector(readySelector.try);
    await page.getByLabel('Find an item').focus();
    for (const key of ['Tab', 'Space', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    expect(
      await page.evaluate(() => {
        const { activeElement } = document;
        return [activeElement?.closest('ul')?.ariaLabel, activeElement?.ariaLabel];
      }),
    ).toEqual(['Your ratings', '3 of 5']);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.waitForSelector('.strip-posters [data-item]');
    const shown = () => page.locator('.rate-card').getAttribute('data-item');
    const first = await shown();
    await page.locator('.rate-card input').first().focus();
    await page.keyboard.press('Space');
    await expect.poll(shown, { timeout: 5000 }).not.toBe(first);
    expect(await page.evaluate(() => document.activeElement?.closest('.rate-card')?.ariaLabel)).toBe(
      'Rate this',
    );
    await page.getByRole('button', { name: 'Not seen' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Not seen');
    await page.context().close();
  });

  it('goes on without a network', async () => {
    const page = await visit(opened, 'try');
    await page.waitForSelector(readySelector.try);
    await page.context().setOffline(true);
    await rate(page, 'item-3-0', 5);
    expect((await ranking(page, 2))[0]).toMatch(/^Railway/);
    await page.context().close();
  });

  it('shows pictures and links of the catalogue, and asks for none of them after loading', async () => {
    const page = await visit(opened, 'try');
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
    const page = await visit(opened, 'try');
    await page.waitForSelector(readySelector.try);
    await page.locator('summary', { hasText: 'Models to compare' }).click();
    await page.getByRole('checkbox', { name: /sample-eps-5/ }).uncheck();
    expect(await page.locator('.columns > section').count()).toBe(2);
    await page.getByRole('checkbox', { name: /sample-eps-5/ }).check();
    expect(await page.locator('.columns > section').count()).toBe(3);
    await page.context().close();
  });

  describe('on a phone', () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    it('shows the effect of a tap on a star in the same screen, at once and without scrolling', async () => {
      const page = await visit(opened, 'try', phone);
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
      const page = await visit(opened, 'try', phone);
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

  it('counts bytes while models load, and says that this is the last thing asked for', async () => {
    const page = await visit(opened, 'overview');
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
});
