import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCatalogue } from '@hushrec/ratings';
import { afterAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import { builtCommandLine } from '../testing/built-command-line.test.data.js';

describeInChromium('from a CSV to the browser', (opened) => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-own-csv-'));
  const { hushrec, serve, close } = builtCommandLine(folder);
  afterAll(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  it('takes the commands of the README: train, verify, serve, and rate in the page', async () => {
    const { ratings } = generateCatalogue({ users: 2000, items: 60, ratings: 40_000, seed: 3 });
    const { offsets, indices, values } = ratings.byUser;
    const lines = ['user,item,rating'];
    for (let user = 0; user < ratings.userCount; user++) {
      for (let at = offsets[user]; at < offsets[user + 1]; at++)
        lines.push(`u${user},i${indices[at]},${values[at]}`);
    }
    writeFileSync(join(folder, 'ratings.csv'), `${lines.join('\n')}\n`);

    const asked = ['--scale', '0.5:5:0.5', '--goal', 'stars', '--epsilon', '5'];
    hushrec('train', 'ratings.csv', ...asked, '--out', 'model');
    expect(JSON.parse(hushrec('verify', 'model', '--json').stdout)).toMatchObject({ ok: true });
    const { url } = await serve('--models', 'model');
    const page = await opened.browser.newPage();
    await page.goto(url);
    await page.getByRole('link', { name: 'Try it on your taste' }).click();
    await page.waitForSelector('.results ol.ranking li');
    expect(await page.locator('.stop:has(:checked) strong').textContent()).toBe('ε = 5');
    expect(await page.locator('.dial-meaning').textContent()).toContain('That is weak.');
    const before = await page.locator('.results ol.ranking .item-title').allTextContents();
    await page.locator('ul[aria-label="Items to rate"] li label').nth(4).click();
    await page.getByText('changed your list').waitFor();
    expect(await page.locator('.results ol.ranking .item-title').allTextContents()).not.toEqual(before);
    expect(await page.locator('#request-count').textContent()).toBe('0');
    await page.close();
  });

  it('sets a limit from the page by the real command, and trains for lists within it', async () => {
    hushrec('generate', 'data/shop', '--people', '300', '--items', '40', '--ratings', '6000');
    mkdirSync(join(folder, 'models'));
    const { url, token } = await serve('--models', 'models', '--data', 'data');
    const page = await opened.browser.newPage();
    await page.goto(`${url}/#/ledger`);
    await page.getByText('Nothing has been spent').waitFor();
    expect(await page.getByRole('button', { name: /Grant/ }).count()).toBe(0); // not an operator yet
    await page.evaluate((given) => sessionStorage.setItem('hushrec.token', given), token!);
    await page.reload();
    await page.getByLabel('New grant, ε').fill('2.5');
    await page.getByLabel('Reason').fill('agreed with the council');
    await page.getByRole('button', { name: 'Grant 2.5' }).click();
    await page.getByText('of ε = 2.5 spent').waitFor();
    const shown = () => hushrec('ledger', 'show', 'data/shop').stdout;
    expect(shown()).toContain('agreed with the council');

    await page.goto(`${url}/#/train`);
    expect(await page.getByLabel('Rank titles').isChecked()).toBe(true);
    await page.getByText(/Account after this run: 0 → 1(\.\d+)? of 2.5/).waitFor();
    // Nothing was released of these people yet: a range, and why.
    const expected = page.getByRole('region', { name: 'What to expect' });
    await expected.getByText('how unevenly yours is used is not known before its first model').waitFor();
    expect(await expected.textContent()).toMatch(/about \d+ to \d+ of 40 items/);
    await page.getByLabel('5. Measure quality afterwards').uncheck();
    await page.getByRole('button', { name: 'Train with this promise' }).click();
    await page.locator('li[data-run]').getByText('done', { exact: true }).waitFor({ timeout: 0 });
    const { feedback, foldIn } = JSON.parse(
      readFileSync(join(folder, 'models', 'hush-eps-1', 'model.json'), 'utf8'),
    ).model;
    expect(feedback).toBe('implicit');
    expect(foldIn.grades).toEqual({ min: 0.5, max: 5 });
    // The run has an address; the next forecast is from what it released.
    await page.reload();
    await page.getByRole('link', { name: 'To all runs' }).click();
    await expected.getByText('From the counts that the last model of these people released').waitFor();
    await page.getByText('All settings').click();
    expect(await page.getByLabel('Name of the model').inputValue()).toBe('hush-eps-1-2');
    await page.goto(`${url}/#/ledger`);
    await page.getByText('One run paid for').waitFor();
    await page.getByRole('row').getByRole('link', { name: 'hush-eps-1' }).waitFor();
    expect(shown()).toMatch(/hush/);
    await page.close();
  });
});
