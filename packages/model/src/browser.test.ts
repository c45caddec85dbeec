import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

describe('the package in a browser', () => {
  it('bundles without any module of Node: reading, deciding and verifying need none', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: ['index', 'signing', 'usefulness', 'words', 'making'].map((door) =>
        fileURLToPath(new URL(`./${door}.ts`, import.meta.url)),
      ),
      outdir: 'unwritten',
      alias: {
        '@hushrec/privacy': fileURLToPath(new URL('../../privacy/src/index.ts', import.meta.url)),
        '@hushrec/privacy/sha256': fileURLToPath(new URL('../../privacy/src/sha256.ts', import.meta.url)),
      },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
    });
    const external = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter((each) => each.external).map(({ path }) => path),
    );
    expect(external).toEqual([]);
    expect(outputFiles[0].text).toContain('verifyPublished');
  });
});
