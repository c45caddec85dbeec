import { existsSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const systemBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * A real Chromium: HUSHREC_BROWSER, the one from npm (Linux on x64), or one of the system; else why there is
 * none.
 */
export async function findBrowser(): Promise<{ readonly path: string } | { readonly reason: string }> {
  const given = process.env['HUSHREC_BROWSER'];
  if (given !== undefined) return { path: given };
  if (process.platform === 'linux' && process.arch === 'x64')
    return { path: await sparticuz.executablePath() };
  const path = systemBrowsers.find(existsSync);
  if (path !== undefined) return { path };
  const reason = `there is no Chromium for ${process.platform} ${process.arch}; set HUSHREC_BROWSER to one`;
  if (process.env['CI'] !== undefined) throw new Error(`Nothing may be skipped in CI, but ${reason}.`);
  return { reason };
}

export function launchBrowser(path: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'],
  });
}
