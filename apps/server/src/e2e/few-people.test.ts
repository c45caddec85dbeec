import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFolder } from '@hushrec/model/folder';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { builtCommandLine } from '../testing/built-command-line.test.data.js';
import { axeViolations } from '../testing/page-checks.test.data.js';

const enough =
  /There are about \d+ people; about [\d,]+ to [\d,]+ are needed, or ε of about [\d.]+ to [\d.]+/;

/**
 * As many people as in MovieLens Latest Small, at ε = 1, through the real commands: too few. In words of
 * `train`, of the page and of `recommend`, and in a list that is released popularity and nothing else.
 */
describeInChromium('610 people at ε = 1, in the browser', (opened) => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-few-people-'));
  const { hushrec, serve, close } = builtCommandLine(folder);
  const trained = { said: '', url: '', popular: [] as string[] };
  beforeAll(async () => {
    const sizes = ['--people', '610', '--items', '3000', '--ratings', '80000', '--seed', '1'];
    hushrec('generate', 'few', ...sizes);
    const { stdout, stderr } = hushrec(
      'train',
      'few',
      '--goal',
      'stars',
      '--epsilon',
      '1',
      '--delta',
      '1e-6',
      '--people',
      '610',
      '--threads',
      '1',
      '--out',
      'models/few',
    );
    trained.said = stdout + stderr;
    trained.url = (await serve('--models', 'models')).url;
    const { model, manifest } = await readModelFolder(join(folder, 'models', 'few'));
    const counts = model.kind === 'factors' ? model.popularity! : new Float32Array();
    trained.popular = [...counts.keys()]
      .sort((a, b) => counts[b] - counts[a] || a - b)
      .map((item) => manifest.itemIds[item]);
  });
  afterAll(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** The most popular by released counts that are not rated. */
  const popularWithout = (rated: readonly string[], length: number) =>
    trained.popular.filter((id) => !rated.includes(id)).slice(0, length);
  const shownIn = (page: Page) =>
    page
      .locator('.results ol.ranking li')
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['item']));
  /** Beside the list or, on a phone, above it. */
  const wordsOn = (page: Page) => page.locator('.too-noisy').filter({ visible: true });
  const visit = async (view: string, viewport = { width: 1200, height: 900 }) => {
    const page = await opened.browser.newPage({ viewport });
    await page.goto(`${trained.url}/#/${view}`);
    return page;
  };

  it('is too little by what train says, with what would be enough', () => {
    expect(trained.said).toContain('Too noisy to be personal');
    expect(trained.said).toMatch(enough);
  });

  it.each([
    ['high', 4],
    ['low', 0],
  ] as const)('lists released popularity without a reason, whatever is rated: %s', async (_, star) => {
    const page = await visit('try');
    await page.waitForSelector('ol.ranking li');
    await page.getByRole('heading', { name: 'Too noisy to be personal' }).waitFor();
    expect(await wordsOn(page).textContent()).toMatch(enough);
    expect(await shownIn(page)).toEqual(popularWithout([], 10));
    const rated: string[] = [];
    for (let time = 0; time < 3; time++) {
      const row = page.locator('ul[aria-label="Items to rate"] li').first();
      rated.push((await row.getAttribute('data-item'))!);
      await row.locator('.stars label').nth(star).click();
      await page.locator(`ul[aria-label="Your ratings"] li[data-item="${rated.at(-1)}"]`).waitFor();
    }
    expect(await shownIn(page)).toEqual(popularWithout(rated, 10));
    await page.getByText('and changes nothing else: this model knows nobody’s taste').waitFor();
    expect(new Set(await page.locator('.results .reason').allTextContents())).toEqual(
      new Set(['what most people like']),
    );
    // The command line, with the same history, says and lists the same.
    writeFileSync(join(folder, 'mine.csv'), rated.map((id) => `${id},${star + 1}\n`).join(''));
    const { stdout } = hushrec('recommend', 'models/few', '--history', 'mine.csv', '-k', '10', '--json');
    const answer = JSON.parse(stdout) as { items: { id: string }[]; tooNoisy: boolean };
    expect(answer.tooNoisy).toBe(true);
    expect(answer.items.map(({ id }) => id)).toEqual(await shownIn(page));
    const words = hushrec('recommend', 'models/few', '--history', 'mine.csv');
    expect(words.stdout + words.stderr).toMatch(/Too noisy to be personal/);
    expect(words.stdout + words.stderr).toMatch(enough);
    await page.close();
  });

  it('says so within the first screen of a phone, above the same list', async () => {
    const page = await visit('try', { width: 390, height: 844 });
    await page.waitForSelector('.strip-posters [data-item]');
    const words = wordsOn(page);
    expect(await words.textContent()).toMatch(enough);
    const box = (await words.boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(844);
    const strip = page.locator('.strip-posters [data-item]');
    expect(
      await strip.evaluateAll((each) => each.map((one) => (one as HTMLElement).dataset['item'])),
    ).toEqual(popularWithout([], 4));
    expect(await axeViolations(page)).toEqual([]);
    await page.close();
  });

  it('says so in the overview and in the certificate, where the next step is to plan for more people', async () => {
    const page = await visit('overview');
    await page.getByText('too noisy', { exact: true }).waitFor();
    await page.getByText('Plan for more people').waitFor();
    await page.goto(`${trained.url}/#/certificate/few`);
    await page.getByRole('heading', { name: 'Is it worth using?' }).waitFor();
    await page.getByText(/Too noisy to be personal: (only \d+|none) of 3,000 items/).waitFor();
    await page.getByText(/are needed/).waitFor();
    await page.close();
  });
});
