import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('is at most 8 kB to download and imports nothing at run time', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
  });
  expect(gzipSync(outputFiles[0].contents, { level: 9 }).length).toBeLessThan(8_000);
  expect(Object.values(metafile.outputs).flatMap((output) => output.imports)).toEqual([]);
});
