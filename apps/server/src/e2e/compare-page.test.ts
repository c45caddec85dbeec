import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { becomeOperator, readySelector, visit } from '../testing/page-visits.test.data.js';

describeOnServer('Compare in Chromium', { graceMs: 300 }, (opened) => {
  it('draws curves with spread and the part in which noise rules, zooms, and offers the numbers', async () => {
    const page = await visit(opened, 'compare', { acceptDownloads: true });
    await page.waitForSelector(readySelector.compare);
    await page
      .getByText(
        'At ε = 1, hush finds 24 of 100 held-out favourites. Without privacy it would be 32; the bestseller list, which knows nobody’s taste, finds 17.',
      )
      .waitFor();
    const first = page.locator('figure').first();
    expect(await first.locator('.band').count()).toBe(2);
    expect(await first.locator('.noisy').count()).toBe(1);
    await first.getByText('with 400 people (forecast)').waitFor();
    await first.locator('svg').getByText('no privacy (als), 32').waitFor();
    await page.getByText('Stars').click();
    await page.getByRole('heading', { name: 'How far off stars are (rmse)' }).waitFor();
    expect(await page.locator('svg').getByText('no privacy (als), 0.845').count()).toBe(1);
    await page.getByText('By popularity of titles').click();
    // Charts that were folded away are drawn when they are opened.
    await page.locator('figure svg.chart').nth(1).waitFor();
    expect(await page.locator('figure svg.chart').count()).toBe(2);
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
        first.getByRole('button', { name: `Download how-far-off-stars-are-rmse.${kind}` }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`how-far-off-stars-are-rmse.${kind}`);
      expect(readFileSync(await download.path(), 'latin1').startsWith(start)).toBe(true);
    }
    await page.context().close();
  });

  it('reads values off by pointing, sorts and filters runs, and keeps the metric in the address', async () => {
    const page = await visit(opened, 'compare');
    await page.waitForSelector(readySelector.compare);
    const first = page.locator('figure').first();
    const box = (await first.locator('svg').boundingBox())!;
    await page.mouse.move(box.x + 80, box.y + box.height / 2);
    // Every series at the leftmost ε.
    expect(await first.locator('.read-out span').allTextContents()).toEqual([
      'hush: 24 (23.87 to 24.13) at 1',
      'dpals: 19.2 (19.07 to 19.33) at 1',
    ]);
    await page.mouse.move(5, 5);
    expect(await first.locator('.read-out').count()).toBe(0);
    await page.getByText('All runs as a table').click();
    const rows = page.locator('.scroll[aria-label="Sample sweep"] tbody tr');
    await page.getByText('20 of 20 rows').waitFor();
    await page.getByLabel('Only rows with').fill('recall hush');
    await page.getByText('4 of 20 rows').waitFor();
    await page.getByLabel('Sort by').selectOption('mean');
    await page.getByLabel('largest first').check();
    expect(await rows.first().textContent()).toContain('20');
    await page.getByText('Stars').click();
    expect(new URL(page.url()).hash).toBe('#/compare/rmse');
    await page.reload();
    await page.getByRole('heading', { name: 'How far off stars are (rmse)' }).waitFor();
    // As wide as its place, so that its letters are as large as on a wide screen.
    await page.setViewportSize({ width: 820, height: 900 });
    const chart = page.locator('figure svg').first();
    await expect
      .poll(async () => Number(await chart.getAttribute('width')) - (await chart.boundingBox())!.width)
      .toBeCloseTo(0, 0);
    await page.context().close();
  });

  it('ranks methods for everyone and published models for operators, and says whose taste comes through', async () => {
    const page = await visit(opened, 'compare');
    await page.waitForSelector(readySelector.compare);
    const names = () => page.locator('table[aria-label="Ranking"] tbody strong').allTextContents();
    expect(await names()).toEqual(['als', 'hush', 'dpals', 'bestseller list']);
    await page
      .getByText('hush at ε = 1. Above 1 × taste outweighs noise; in the two rarest fifths it does not.')
      .waitFor();
    await page.getByLabel(/the rarest fifth first: none, 0.5, 1.3, 2, 4/).waitFor();
    // What published models reach was measured on people.
    await becomeOperator(page, opened.server);
    await page.reload();
    await page.getByText('sample-eps-5').first().waitFor();
    expect(await names()).toEqual(['sample-no-privacy', 'sample-eps-5', 'sample-eps-1']);
    await page.getByText('Against ε, and by popularity of titles').click();
    await page.locator('.compared figure svg.chart').nth(1).waitFor();
    expect(await page.locator('.compared figure svg.chart').count()).toBe(2);
    await page.context().close();
  });
});

describeOnServer(
  'private data in Chromium',
  { publicData: false, publishedNow: 'sample-eps-5' },
  (opened) => {
    it('says to viewers why no quality is shown, and shows no model without privacy', async () => {
      writeFileSync(
        join(opened.server.folder, 'reports', 'sweep', 'comparison.json'),
        '{"rows": [{"method":"hush","metric":"rmse","mean":0.9}]}',
      );
      const page = await visit(opened, 'compare');
      await page.getByRole('heading', { name: 'Quality is for operators' }).waitFor();
      expect(await page.getByText('rmse').count()).toBe(0);
      await page.goto(`${opened.server.url}/#/overview`);
      await page.getByRole('region', { name: 'Published now' }).getByText('sample-eps-5').waitFor();
      expect(await page.getByText('sample-no-privacy').count()).toBe(0);
      await page.goto(`${opened.server.url}/#/try`);
      // A stop of the dial for each model.
      const stops = page.locator('.dial-stops input[type=radio]');
      await expect.poll(() => stops.count()).toBe(2);
      await becomeOperator(page, opened.server);
      await page.reload();
      await expect.poll(() => stops.count()).toBe(3);
      await page.context().close();
    });
  },
);
