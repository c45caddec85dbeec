import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { siteDirectory } from '@hushrec/page';
import { type Report, renderReport } from '@hushrec/report';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const epsilons = [1, 5, 20];
const report: Report = {
  title: 'Quality against privacy',
  intro: 'Two methods.',
  sections: [
    {
      heading: 'Error',
      chart: {
        kind: 'line',
        title: 'RMSE against ε',
        description: 'Falls.',
        x: { label: 'ε', scale: 'log' },
        y: { label: 'RMSE' },
        series: ['hush', 'dpals'].map((name, s) => ({
          name,
          points: epsilons.map((x) => ({ x, y: 0.8 + (s + 1) / (10 * x), low: 0.79, high: 0.95 })),
        })),
        references: [{ name: 'als', y: 0.78 }],
      },
      table: {
        columns: [{ label: 'method' }, { label: 'rmse' }],
        rows: [
          ['hush', 0.9],
          ['dpals', null],
        ],
      },
    },
    {
      heading: 'Slices',
      chart: {
        kind: 'bars',
        title: 'By popularity',
        y: { label: 'RMSE' },
        categoryLabel: 'items',
        categories: ['rare', 'popular'],
        series: [{ name: 'hush', values: [1, 0.8] }],
      },
    },
  ],
  footer: 'hushrec compare',
};
const inter = readFileSync(join(siteDirectory, 'inter.woff2'));
const html = renderReport(report, [{ family: 'Inter', weight: '400 700', bytes: inter }]);

describeInChromium('a report in Chromium', (opened) => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-report-'));
  const address = pathToFileURL(join(folder, 'report.html')).href;
  beforeAll(async () => {
    writeFileSync(join(folder, 'report.html'), html);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  it.each(['light', 'dark'] as const)(
    'opens from a file without any request and without violations (%s)',
    async (colorScheme) => {
      const page = await opened.browser.newPage({ colorScheme, viewport: { width: 800, height: 900 } });
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(address);
      await page.evaluate(axeSource);
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string }[] }> };
        };
        return (await axe.run()).violations.map(({ id }) => id);
      });
      expect(violations).toEqual([]);
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([address]);
      expect(
        await page.evaluate(() => [...document.fonts].map(({ family, status }) => [family, status])),
      ).toEqual([['Inter', 'loaded']]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it('prints black on white on few pages, without what paper cannot do', async () => {
    const page = await opened.browser.newPage({ colorScheme: 'dark' });
    await page.goto(address);
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    expect(await page.locator('.downloads').first().isVisible()).toBe(false);
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    const pages = Number(
      /\/Type\s*\/Pages[^>]*\/Count\s+(\d+)/.exec(pdf)?.[1] ?? /\/Count\s+(\d+)/.exec(pdf)?.[1],
    );
    expect(pages).toBeGreaterThanOrEqual(1);
    expect(pages).toBeLessThanOrEqual(2);
    await page.close();
  });

  it('downloads the numbers behind a chart', async () => {
    const page = await opened.browser.newPage();
    await page.goto(address);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download rmse-against.csv' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toContain('hush,5,0.82');
    await page.close();
  });
});
