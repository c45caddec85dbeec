import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileResponse } from '../file-response.js';
import { ProblemError } from '../problem.js';
import type { App, ServerContext } from '../server-context.js';

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};
const mostBytes = 2 ** 20;

/**
 * Pictures of titles from one folder: what catalogues name as `/pictures/<file>`. Nothing that can hold a
 * script.
 */
export function pictureRoutes(app: App, { pictures }: ServerContext): void {
  app.on(['GET', 'HEAD'], '/pictures/:name', async (c) => {
    const name = c.req.param('name');
    const [, kind] = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.([a-z]{3,4})$/.exec(name) ?? [];
    const contentType = contentTypes[kind ?? ''];
    const path = pictures === undefined ? undefined : join(pictures, name);
    if (path === undefined || contentType === undefined || !(await isSmallFile(path)))
      throw new ProblemError(
        404,
        'No such picture.',
        'Pictures are files of the folder given by --pictures.',
      );
    const content = new Uint8Array(await readFile(path));
    const tag = createHash('sha256').update(content).digest('hex').slice(0, 32);
    return fileResponse(c.req.raw, {
      content,
      size: content.length,
      tag,
      contentType,
      cacheControl: 'no-cache',
    });
  });
}

async function isSmallFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size <= mostBytes;
}
