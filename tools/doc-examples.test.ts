import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What an example may take for granted, by the file it stands in. A file with an example must be listed. */
const givenInComments: Readonly<Record<string, string>> = {
  'apps/page/src/client.ts': "import { fetchModel } from '@hushrec/page/client';",
  'packages/factorize/src/train.ts': `import { trainModel } from '@hushrec/factorize';
declare const ratings: import('@hushrec/ratings').RatingMatrix;
declare const engine: import('@hushrec/numerics').Engine;`,
  'apps/cli/src/library/import-ratings.ts': "import { importRatings } from '../library/import-ratings.js';",
  'apps/cli/src/library/recommend.ts':
    "import { openModel, recommend, similar } from '../library/recommend.js';",
  'apps/cli/src/library/train.ts': "import { plan, train } from '../library/train.js';",
  'apps/cli/src/library/ledger-of.ts': "import { ledgerOf } from '../library/ledger-of.js';",
  'apps/cli/src/library/recommend-all.ts': "import { recommendAll } from '../library/recommend-all.js';",
  'apps/page/src/similar.ts': "import { fetchModel, similar } from '@hushrec/page/client';",
  'apps/cli/src/library/verify.ts': "import { verify } from '../library/verify.js';",
};

const ratingsAndEngine = `declare const ratings: import('@hushrec/ratings').RatingMatrix;
declare const engine: import('@hushrec/numerics').Engine;`;
/** The same of READMEs, where it is nothing unless listed. */
const givenInReadmes: Readonly<Record<string, string>> = {
  'packages/statistics/README.md': ratingsAndEngine,
  'packages/cluster/README.md': "declare const manifest: import('@hushrec/cluster').BlockManifest;",
  'packages/factorize/README.md': ratingsAndEngine,
  'packages/federate/README.md': `declare const shares: import('@hushrec/ratings').RatingMatrix[];
declare const engine: import('@hushrec/numerics').Engine;`,
  'packages/evaluate/README.md': `${ratingsAndEngine}
declare const dataset: import('@hushrec/ratings').NamedRatings;
declare const model: import('@hushrec/model').ItemModel;`,
  'packages/ledger/README.md': `declare const account: { id: string };
declare const jobKey: string;
type Spend = Parameters<import('@hushrec/ledger').Ledger['spend']>[0];
declare const charge: Spend['charge'];
declare const snapshot: Spend['snapshot'];`,
  'packages/train/README.md': `declare const source: import('@hushrec/train').TrainingSource;
declare const ledger: import('@hushrec/ledger').Ledger;`,
};

interface Example {
  readonly file: string;
  readonly code: string;
}

/** The lines after `@example` up to the end of the comment or the next tag. */
function examplesOf(source: string): string[] {
  return [...source.matchAll(/@example\s*([\s\S]*?)(?=\n \* @|\*\/)/g)].map((match) =>
    match[1].replace(/^ *\* ?/gm, '').trim(),
  );
}

/** Fails where an example does not compile, and where the compiler would not have noticed that. */
function expectToCompile(examples: readonly Example[]): void {
  expect(examples.length).toBeGreaterThan(0);
  // Inside the repository, so that packages resolve as they do for its own sources.
  const folder = mkdtempSync(join(root, 'apps/cli/dist/doc-examples-'));
  try {
    examples.forEach(({ code }, at) => {
      writeFileSync(join(folder, `good-${at}.ts`), code);
      writeFileSync(join(folder, `broken-${at}.ts`), `${code}noSuchName();\n`);
    });
    const compilerOptions = {
      ...{ noEmit: true, strict: true, module: 'NodeNext', target: 'ES2023', skipLibCheck: true },
      types: ['node'],
      // As built: the published package holds a copy of these, made when it is packed.
      paths: { hushrec: ['../index.d.ts'] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const { stdout } = spawnSync('npx', ['--no-install', 'tsc', '-p', folder, '--pretty', 'false'], {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const problems = stdout.split('\n').filter((line) => line.includes('error TS'));
    examples.forEach(({ file, code }, at) => {
      const of = (name: string) => problems.filter((line) => line.includes(`${name}-${at}.ts`));
      expect(of('good'), `${file}:\n${code}`).toEqual([]);
      expect(of('broken'), 'a broken example is noticed').toHaveLength(1);
    });
    expect(problems).toHaveLength(examples.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const folders = ['packages', 'apps'].flatMap((group) =>
  readdirSync(join(root, group))
    .filter((name) => existsSync(join(root, group, name, 'src')))
    .map((name) => `${group}/${name}`),
);

it('the examples in doc comments compile', () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/src/${file}`)
      .filter(
        (file) =>
          /(?<!\.test)\.ts$/.test(file) && readFileSync(join(root, file), 'utf8').includes('* @example'),
      ),
  );
  expect(files.filter((file) => !(file in givenInComments))).toEqual([]);
  expectToCompile(
    files.flatMap((file) =>
      examplesOf(readFileSync(join(root, file), 'utf8')).map((example) => ({
        file,
        code: `${givenInComments[file]}\nexport {};\n${example}\n`,
      })),
    ),
  );
});

it('every package and app has a README, and its examples compile', () => {
  const readmes = folders.map((folder) => `${folder}/README.md`);
  expect(readmes.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expectToCompile(
    readmes.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => ({
        file,
        code: `${givenInReadmes[file] ?? ''}\nexport {};\n${match[1]}\n`,
      })),
    ),
  );
});
