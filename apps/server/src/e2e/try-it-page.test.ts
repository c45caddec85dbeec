import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelList } from '@hushrec/page/contract';
import { describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { ranking, rate, readySelector, visit } from '../testing/page-visits.test.data.js';

describeOnServer('Try it in Chromium', { graceMs: 300 }, (opened) => {
  it('ranks by popularity first, then for the person as soon as something is rated, and explains', async () => {
    const page = await visit(opened, 'try/sample-no-privacy');
    await page.waitForSelector(readySelector.try);
    expect((await ranking(page))[0]).toBe('Harbour Letters');
    await rate(page, 'item-1-0', 5);
    await rate(page, 'item-0-0', 1);
    const titles = await ranking(page);
    expect(titles.slice(0, 5).every((title) => title.startsWith('Mountain'))).toBe(true);
    expect(titles).not.toContain('Mountain Letters');
    await page
      .locator('.results .reason', { hasText: 'because you liked Mountain Letters' })
      .first()
      .waitFor();
    await page.getByRole('status').getByText('Harbour Letters').waitFor();
    await page.context().close();
  });

  it('has a dial over the models, which arrow keys turn and the address follows', async () => {
    const page = await visit(opened, 'try/sample-eps-5');
    await page.waitForSelector(readySelector.try);
    const stops = page.getByRole('group', { name: 'How private is the model?' }).getByRole('radio');
    expect(await stops.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value))).toEqual([
      'sample-no-privacy',
      'sample-eps-5',
      'sample-eps-1',
    ]);
    expect(await stops.nth(1).isChecked()).toBe(true);
    await rate(page, 'item-1-0', 5);
    const weak = await ranking(page);
    await stops.nth(1).press('ArrowRight');
    expect(new URL(page.url()).hash).toBe('#/try/sample-eps-1');
    expect(await page.title()).toContain('sample-eps-1');
    expect(await ranking(page)).not.toEqual(weak);
    expect(await page.locator('#request-count').textContent()).toBe('0');
    await page.context().close();
  });

  it('draws a line from each title to its place without privacy', async () => {
    const page = await visit(opened, 'try/sample-eps-1', { viewport: { width: 1440, height: 900 } });
    await page.waitForSelector(readySelector.try);
    // Nothing is compared before anything is rated: both would be what most people like.
    expect(await page.locator('.lines').count()).toBe(0);
    await rate(page, 'item-1-0', 5);
    const titles = await ranking(page);
    const beside = await page.locator('.beside-list .clamped').allTextContents();
    expect(beside).toHaveLength(10);
    const shared = titles.filter((title) => beside.includes(title)).length;
    expect(await page.locator('.lines .line:not(.gone, .lost)').count()).toBe(shared);
    const own = Number(/^(\d+) of 10/.exec((await page.locator('.figure-big').textContent())!)![1]);
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThanOrEqual(10);
    await page.context().close();
  });

  it('shows no other model in the place of one that is not there', async () => {
    const page = await visit(opened, 'try/sample-eps-2');
    await page.getByText('There is no model “sample-eps-2”').waitFor();
    expect(await page.locator('.ranking').count()).toBe(0);
    await page.context().close();
  });

  it('lets a visitor guess who was in it, and keeps the score beside chance and the limit', async () => {
    const page = await visit(opened, 'try');
    await page.waitForSelector(readySelector.try);
    for (let time = 0; time < 12; time++) await page.getByRole('button', { name: 'Alex was in it' }).click();
    const words = await page.locator('.guess-round > p').textContent();
    expect(words).toMatch(/^\d+ right\. Chance gives 6\./);
    expect(words).toContain('73%: that is the promise at ε = 1');
    const right = Number(/^\d+/.exec(words!)![0]);
    expect(await page.locator('.score-blocks .on').count()).toBe(right);
    await page.locator('.guess .segments label').last().click();
    await page.getByText('Model 1 of 12').waitFor();
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
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.locator('#rated').textContent()).toBe('Your ratings (1)');
    await page.reload();
    await page.waitForSelector('ul[aria-label="Your ratings"] li[data-item="item-2-3"]');
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
    await expect.poll(shown).not.toBe(first);
    expect(await page.evaluate(() => document.activeElement?.closest('.rate-card')?.ariaLabel)).toBe(
      'Rate this',
    );
    await page.getByRole('button', { name: 'Not seen' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Not seen');
    await page.context().close();
  });

  it('goes on without a network', async () => {
    const page = await visit(opened, 'try/sample-no-privacy');
    await page.waitForSelector(readySelector.try);
    await page.context().setOffline(true);
    await rate(page, 'item-3-0', 5);
    expect((await ranking(page))[0]).toMatch(/^Railway/);
    // The dial turns without a network too: its models are in this tab.
    await page.locator('.dial input[value="sample-eps-5"]').check();
    expect((await ranking(page)).length).toBe(10);
    await page.context().close();
  });

  it('shows pictures and links of the catalogue, and asks for none of them after loading', async () => {
    const page = await visit(opened, 'try/sample-no-privacy');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.waitForSelector(readySelector.try);
    await rate(page, 'item-1-0', 5);
    await rate(page, 'item-0-0', 1);
    const row = (item: string) => page.locator(`.results li[data-item="${item}"]`);
    expect(await row('item-1-2').locator('img.poster').getAttribute('src')).toMatch(/^blob:/);
    expect(await row('item-1-3').locator('svg.poster').count()).toBe(1);
    const link = row('item-1-1').getByRole('link');
    expect(await link.getAttribute('href')).toBe('https://shop.example/lantern');
    expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
    expect(asked.filter((path) => path.startsWith('/pictures/'))).toEqual(['/pictures/winter.png']);
    expect(await page.locator('#request-count').textContent()).toBe('0');
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
      await page.locator('dialog[open] .ranking .reason').first().waitFor();
      await page.getByRole('button', { name: 'Close' }).tap();
      await page.context().close();
    });

    it('shows what was found where the card was, and names titles under their covers', async () => {
      const page = await visit(opened, 'try', phone);
      await page.waitForSelector('.rate-card .stars');
      const card = (await page.locator('.rate-card').boundingBox())!;
      await page.getByLabel('Find an item').fill('railway');
      expect(await page.locator('.rate-card').isVisible()).toBe(false);
      const found = (await page.locator('ul[aria-label="Items to rate"] li').first().boundingBox())!;
      expect(found.y).toBeLessThan(card.y + 60);
      expect(await page.locator('.strip-title').first().textContent()).toBe('Harbour Letters');
      await page.context().close();
    });

    it('asks for the next title by itself, and skips what was not seen', async () => {
      const page = await visit(opened, 'try', phone);
      await page.waitForSelector('.rate-card .stars');
      const shown = () => page.locator('.rate-card').getAttribute('data-item');
      const first = await shown();
      await page.locator('.rate-card .stars label').nth(3).tap();
      await expect.poll(shown).not.toBe(first);
      const second = await shown();
      await page.getByRole('button', { name: 'Not seen' }).tap();
      expect(await shown()).not.toBe(second);
      await page.context().close();
    });
  });

  it('counts bytes while the first model loads, and waits for no other', async () => {
    const page = await visit(opened, 'overview');
    const held: (() => void)[] = [];
    const hold = async (file: string) =>
      page.route(`**/models/${file}`, async (route) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
    await hold('sample-eps-5/model.json');
    await hold('sample-no-privacy/model.json');
    await page.goto(`${opened.server.url}/#/try/sample-eps-5`);
    await page.getByRole('status').getByText('Loading a model').waitFor();
    await page.getByText('The last thing this page will ask the network for.').waitFor();
    const share = () =>
      page.getByRole('progressbar').evaluate((bar) => {
        const { value, max } = bar as HTMLProgressElement;
        return value / max;
      });
    // Everything but the file that is held back.
    const { models } = (await (await opened.server.ask('/api/models')).json()) as ModelList;
    const all = models.find(({ id }) => id === 'sample-eps-5')!.bytes;
    const missing = statSync(join(opened.server.folder, 'models', 'sample-eps-5', 'model.json')).size;
    await expect.poll(share).toBeCloseTo(1 - missing / all, 6);
    held.shift()!();
    // The list stands while what it is compared with is still on its way.
    await page.waitForSelector('.results .ranking li');
    expect(await page.locator('.try-it[data-whole]').count()).toBe(0);
    await expect.poll(() => held.length).toBe(1);
    held.shift()!();
    await page.waitForSelector(readySelector.try);
    await page.context().close();
  });
});
