// A real Chromium, for tests, pictures and benchmarks.
import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

const systemBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * The path of HUSHREC_BROWSER, of the one from npm (Linux on x64), or of one of the system; else the reason
 * why there is none.
 */
export async function findChromium() {
  const given = process.env.HUSHREC_BROWSER;
  if (given !== undefined) return { path: given };
  if (process.platform === 'linux' && process.arch === 'x64')
    return { path: await sparticuz.executablePath() };
  const path = systemBrowsers.find(existsSync);
  if (path !== undefined) return { path };
  return { reason: `no Chromium for ${process.platform} ${process.arch}; set HUSHREC_BROWSER to one` };
}

/** Launches it. Another process may still be unpacking the same browser, so this is tried for 20 seconds. */
export async function launchChromium() {
  const found = await findChromium();
  if (found.path === undefined) throw new Error(`There is ${found.reason}.`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await chromium.launch({
        executablePath: found.path,
        args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
      });
    } catch (error) {
      if (attempt === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}
