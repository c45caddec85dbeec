import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateCatalogue } from '@hushrec/ratings';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser, launchBrowser } from '../testing/browser.test.data.js';

/** The built command line: what a person types. */
const program = fileURLToPath(new URL('../../../cli/bin/hushrec.js', import.meta.url));
const found = await findBrowser();

describe.skipIf('reason' in found)(
  `from a CSV to the browser${'reason' in found ? ` (skipped: ${found.reason})` : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-own-csv-'));
    let browser: Browser;
    let server: ChildProcess | undefined;
    beforeAll(async () => {
      browser = await launchBrowser((found as { path: string }).path);
    });
    afterAll(async () => {
      await browser?.close();
      server?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    const hushrec = (...args: string[]) => {
      const run = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
      expect(run.status, run.stderr).toBe(0);
      return run.stdout;
    };

    it('takes the commands of the README: train, verify, serve, and rate in the page', async () => {
      const { ratings } = generateCatalogue({ users: 2000, items: 60, ratings: 40_000, seed: 3 });
      const { offsets, indices, values } = ratings.byUser;
      const lines = ['user,item,rating'];
      for (let user = 0; user < ratings.userCount; user++) {
        for (let at = offsets[user]; at < offsets[user + 1]; at++)
          lines.push(`u${user},i${indices[at]},${values[at]}`);
      }
      writeFileSync(join(folder, 'ratings.csv'), `${lines.join('\n')}\n`);

      hushrec('train', 'ratings.csv', '--scale', '0.5:5:0.5', '--epsilon', '5', '--out', 'model');
      expect(JSON.parse(hushrec('verify', 'model', '--json'))).toMatchObject({ ok: true });
      server = spawn(process.execPath, [program, 'serve', '--models', 'model', '--port', '0'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let url = '';
      for await (const line of createInterface({ input: server.stderr! })) {
        url = /Serving on (\S+)/.exec(line)?.[1] ?? '';
        if (url !== '') break;
      }
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByRole('link', { name: 'Try it on your taste' }).click();
      await page.waitForSelector('ol.ranking li');
      expect(await page.locator('.chip.weak').first().textContent()).toBe('ε = 5, weak');
      const before = await page.locator('ol.ranking .item-title').allTextContents();
      await page.locator('ul[aria-label="Items to rate"] li label').nth(4).click();
      await page.getByText('Tinted rows have just changed.').waitFor();
      expect(await page.locator('ol.ranking .item-title').allTextContents()).not.toEqual(before);
      expect(await page.locator('#request-count').textContent()).toBe('0');
      await page.close();
    });
  },
);
