import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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
 * The page's files, read once at start: a name that is not in the list does not exist, and a new build does
 * not mix with the old one.
 */
export function pageRoutes(app: App, site: string): void {
  const files = new Map<string, PageFile>();
  for (const name of siteFiles(site)) {
    const bytes = new Uint8Array(readFileSync(join(site, name)));
    const contentType = contentTypes[name.split('.').at(-1)!] ?? 'application/octet-stream';
    const served = (content: Uint8Array<ArrayBuffer>): ServedFile => ({
      content,
      size: content.length,
      tag: createHash('sha256').update(content).digest('hex').slice(0, 32),
      contentType,
      cacheControl: 'no-cache',
    });
    files.set(name, {
      plain: served(bytes),
      ...(isText(contentType) && { packed: served(new Uint8Array(gzipSync(bytes, { level: 9 }))) }),
    });
  }
  const index = files.get('index.html');
  if (index !== undefined) app.on(['GET', 'HEAD'], '/', (c) => pageResponse(c.req.raw, index));
  for (const [name, file] of files) app.on(['GET', 'HEAD'], `/${name}`, (c) => pageResponse(c.req.raw, file));
}

/** A file of the page, and the same packed where that is worth it. */
interface PageFile {
  readonly plain: ServedFile;
  readonly packed?: ServedFile;
}

function isText(contentType: string): boolean {
  return /^(text|image\/svg|application\/(json|manifest))/.test(contentType);
}

function pageResponse(request: Request, { plain, packed }: PageFile): Response {
  const isPacked = packed !== undefined && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
  const response = fileResponse(request, isPacked ? packed : plain);
  if (isPacked) response.headers.set('content-encoding', 'gzip');
  if (packed !== undefined) response.headers.set('vary', 'accept-encoding');
  return response;
}

function siteFiles(site: string): string[] {
  try {
    return readdirSync(site).filter((name) => name.includes('.'));
  } catch {
    return [];
  }
}
