import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
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
    const packed = new Map<string, ServedFile>();
    if (isText(contentType)) {
      for (const [encoding, pack] of encodings) packed.set(encoding, served(new Uint8Array(pack(bytes))));
    }
    files.set(name, { plain: served(bytes), packed });
  }
  const index = files.get('index.html');
  if (index !== undefined) app.on(['GET', 'HEAD'], '/', (c) => pageResponse(c.req.raw, index));
  for (const [name, file] of files) app.on(['GET', 'HEAD'], `/${name}`, (c) => pageResponse(c.req.raw, file));
}

/** A file of the page, and the same packed where that is worth it, by encoding. */
interface PageFile {
  readonly plain: ServedFile;
  readonly packed: ReadonlyMap<string, ServedFile>;
}

/**
 * The smallest first; browsers ask for it over TLS and on their own machine. Quality 6 takes a thirtieth of
 * the time of the best at start, for 8% more bytes.
 */
const encodings: readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[] = [
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 6 } })],
  ['gzip', (bytes) => gzipSync(bytes, { level: 9 })],
];

function isText(contentType: string): boolean {
  return /^(text|image\/svg|application\/(json|manifest))/.test(contentType);
}

function pageResponse(request: Request, { plain, packed }: PageFile): Response {
  const asked = request.headers.get('accept-encoding') ?? '';
  const isTaken = (name: string) => new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(asked);
  const [encoding, file] = [...packed].find(([name]) => isTaken(name)) ?? [undefined, plain];
  const response = fileResponse(request, file);
  if (encoding !== undefined) response.headers.set('content-encoding', encoding);
  if (packed.size > 0) response.headers.set('vary', 'accept-encoding');
  return response;
}

function siteFiles(site: string): string[] {
  try {
    return readdirSync(site).filter((name) => name.includes('.'));
  } catch {
    return [];
  }
}
