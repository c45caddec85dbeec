import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileResponse, type ServedFile } from '../file-response.js';
import type { App } from '../server-context.js';

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
  map: 'application/json',
};

/**
 * The page's files, read once at start: a name that is not in the list does not exist, and a new build does not mix
 * with the old one.
 */
export function pageRoutes(app: App, site: string): void {
  const files = new Map<string, ServedFile>();
  for (const name of siteFiles(site)) {
    const bytes = new Uint8Array(readFileSync(join(site, name)));
    files.set(name, {
      content: bytes,
      size: bytes.length,
      tag: createHash('sha256').update(bytes).digest('hex').slice(0, 32),
      contentType: contentTypes[name.split('.').at(-1)!] ?? 'application/octet-stream',
      cacheControl: 'no-cache',
    });
  }
  const index = files.get('index.html');
  if (index !== undefined) app.on(['GET', 'HEAD'], '/', (c) => fileResponse(c.req.raw, index));
  for (const [name, file] of files) app.on(['GET', 'HEAD'], `/${name}`, (c) => fileResponse(c.req.raw, file));
}

function siteFiles(site: string): string[] {
  try {
    return readdirSync(site).filter((name) => name.includes('.'));
  } catch {
    return [];
  }
}
