import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What an example may take for granted, by the file it stands in. A file with an example must be listed. */
const given: Readonly<Record<string, string>> = {
  'apps/page/src/client.ts': "import { fetchModel } from '@hushrec/page/client';",
  'packages/factorize/src/train.ts': `import { trainModel } from '@hushrec/factorize';
declare const ratings: import('@hushrec/ratings').RatingMatrix;
declare const engine: import('@hushrec/numerics').Engine;`,
};

/** The lines after `@example` up to the end of the comment or the next tag. */
function examplesOf(source: string): string[] {
  return [...source.matchAll(/@example\s*([\s\S]*?)(?=\n \* @|\*\/)/g)].map((match) =>
    match[1]!.replace(/^ *\* ?/gm, '').trim(),
  );
}

it('the examples in doc comments compile', () => {
  const files = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) =>
      readdirSync(join(root, group, name, 'src'), { recursive: true, encoding: 'utf8' })
        .map((file) => `${group}/${name}/src/${file}`)
        .filter(
          (file) => file.endsWith('.ts') && readFileSync(join(root, file), 'utf8').includes('@example'),
        ),
    ),
  );
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !(file in given))).toEqual([]);
  // Inside the repository, so that packages resolve as they do for its own sources.
  const folder = mkdtempSync(join(root, 'apps/cli/dist/doc-examples-'));
  try {
    const check = (code: string) => {
      const file = join(folder, 'example.ts');
      writeFileSync(file, code);
      const flags = [
        '--noEmit',
        '--strict',
        '--module',
        'NodeNext',
        '--target',
        'ES2023',
        '--skipLibCheck',
        '--types',
        'node',
      ];
      const { status, stdout } = spawnSync('npx', ['--no-install', 'tsc', '--ignoreConfig', ...flags, file], {
        cwd: root,
        encoding: 'utf8',
      });
      return { status, stdout };
    };
    for (const file of files) {
      for (const example of examplesOf(readFileSync(join(root, file), 'utf8'))) {
        const code = `${given[file]}\nexport {};\n${example}\n`;
        expect(check(code), `${file}:\n${code}`).toMatchObject({ status: 0 });
        expect(check(`${code}noSuchName();\n`).status, 'a broken example is noticed').not.toBe(0);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
