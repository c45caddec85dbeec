import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methods } from '@hushrec/factorize';
import '@hushrec/papers/register';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../apps/cli/src/main.js';
// @ts-expect-error: a tool in plain JavaScript
import { repeatedLines } from './repeated-code.mjs';
// @ts-expect-error: a tool in plain JavaScript
import * as unused from './unused.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const files: { path: string; text: string }[] = unused.sourceFiles(root);
const described = readFileSync(new URL('../docs/library.md', import.meta.url), 'utf8');
/** Lines of code that may stand in more than one file. To be lowered, not raised. */
const CEILING = 12;
const isTest = (path: string) => /\.test\./.test(path);

describe('nothing is there for nobody', () => {
  it('no export', () => {
    expect(unused.withoutKept(unused.unusedExports(files, described), unused.keptForOthers)).toEqual([]);
  });
  it('no dependency', () => {
    expect(unused.withoutKept(unused.unusedDependencies(root, files), unused.keptDependencies)).toEqual([]);
  });
  it('no setting', () => {
    expect(unused.unusedSettings(methods, files)).toEqual([]);
  });
  it('no flag', async () => {
    expect(unused.unusedFlags(await buildProgram(), files)).toEqual([]);
  });
  it('no more repeated code than there is', () => {
    expect(repeatedLines(files.filter(({ path }) => !isTest(path))).length).toBeLessThanOrEqual(CEILING);
  });
});

describe('the checks can fail', () => {
  const planted = {
    path: 'packages/privacy/src/planted.ts',
    text: `export function plantedHelper() { return 1; }
/** plantedHelper is named in a comment. */
export const plantedConstant = 2;
function reader() { return plantedConstant; }
export class PlantedError extends Error {}
export type PlantedType = { readonly error: PlantedError };
`,
  };
  it('on an export that only a test uses, or only its own file', () => {
    const test = {
      path: 'packages/privacy/src/planted.test.ts',
      text: `import { plantedHelper } from './door.js';\nplantedHelper();`,
    };
    // The same name somewhere else is no use of it.
    const namesake = {
      path: 'apps/cli/src/namesake.ts',
      text: 'other.plantedHelper(); const plantedConstant = 1;',
    };
    const handedOn = {
      path: 'packages/privacy/src/door.ts',
      text: `export { plantedHelper } from './planted.js';`,
    };
    const found: string[] = unused.unusedExports([planted, test, handedOn, namesake]);
    expect(found).toEqual([
      'packages/privacy/src/planted.ts: plantedHelper is used by tests alone',
      'packages/privacy/src/planted.ts: plantedConstant is exported and used in its own file alone',
      'packages/privacy/src/planted.ts: PlantedType is used by nobody',
    ]);
    const index = { path: 'packages/privacy/src/index.ts', text: `export * from './planted.js';` };
    const user = {
      path: 'apps/cli/src/user.ts',
      text: `import { plantedConstant, plantedHelper, type PlantedType } from '@hushrec/privacy';`,
    };
    const later = {
      path: 'apps/cli/src/later.ts',
      text: `const { plantedConstant, plantedHelper } = await import('@hushrec/privacy');
        type Given = import('@hushrec/privacy').PlantedType;`,
    };
    expect(unused.unusedExports([planted, test, index, user])).toEqual([]);
    expect(unused.unusedExports([planted, test, index, later])).toEqual([]);
    const task = {
      path: 'packages/privacy/src/run.ts',
      text: `run({ exportName: 'plantedHelper' }, plantedConstant as PlantedType);`,
    };
    expect(unused.unusedExports([planted, test, handedOn, task])).toHaveLength(2);
    expect(unused.unusedExports([planted], 'plantedHelper plantedConstant PlantedType')).toEqual([]);
  });
  it('on a dependency that is not imported', () => {
    const others = files.filter(({ path }) => !path.startsWith('packages/audit/'));
    expect(unused.unusedDependencies(root, others)).toContain('packages/audit: @hushrec/privacy');
    // Neither a test that imports it nor a text that names it is what a package depends on.
    const named = {
      path: 'packages/audit/src/planted.ts',
      text: `/* import '@hushrec/privacy' */ const name = '@hushrec/privacy';`,
    };
    const tested = { path: 'packages/audit/src/planted.test.ts', text: `import '@hushrec/privacy';` };
    expect(unused.unusedDependencies(root, [...others, named, tested])).toContain(
      'packages/audit: @hushrec/privacy',
    );
  });
  it('on what only the repository or a bundle depends on', () => {
    const none: string[] = unused.unusedDependencies(root, []);
    expect(none).toEqual(expect.arrayContaining(['the repository: vite', 'apps/cli: commander']));
    const test = { path: 'apps/cli/src/x.test.ts', text: `import { parseAst } from 'vite';` };
    expect(unused.unusedDependencies(root, [test])).not.toContain('the repository: vite');
  });
  it('on a setting that is declared and not read', () => {
    const settings = { rank: {}, plantedSetting: {} };
    const method = (text: string) => ({
      path: 'packages/factorize/src/planted.ts',
      text: `import './planted-part.js'; defineMethod({ id: 'planted', train: ({ settings }) => ${text} });`,
    });
    const elsewhere = { path: 'packages/factorize/src/other.ts', text: 'given.plantedSetting;' };
    const found = (...own: readonly object[]): string[] =>
      unused.unusedSettings([{ id: 'planted', settings }], own);
    expect(found(method('settings.rank'), elsewhere)).toEqual(['planted: plantedSetting']);
    expect(found(method('settings.rank + settings.plantedSetting'))).toEqual([]);
    const part = {
      path: 'packages/factorize/src/planted-part.ts',
      text: 'const { plantedSetting } = settings;',
    };
    expect(found(method('settings.rank'), part)).toEqual([]);
    expect(found(elsewhere)).toEqual(['planted: no file defines it']);
  });
  it('on a flag that is declared and not read', async () => {
    const program = await buildProgram();
    program.commands.find((each) => each.name() === 'verify')!.option('--planted-flag');
    expect(unused.unusedFlags(program, files)).toEqual(['verify: --planted-flag']);
  });
  it('on reasons for what is used again', () => {
    expect(unused.withoutKept([], { once: 'why' })).toEqual([
      'once is used now: leave it out of the list of what is kept',
    ]);
  });
  it('on code that is repeated', () => {
    const text = Array.from({ length: 7 }, (_, k) => `  const value${k} = compute(${k});`).join('\n');
    const twice = [
      { path: 'a.ts', text },
      { path: 'b.ts', text: `// before\n${text}` },
    ];
    expect(repeatedLines(twice)).toHaveLength(14);
    const commented = [twice[0], { path: 'b.ts', text: `/**\n * before\n */\n${text}` }];
    expect(repeatedLines(commented)).toContain('b.ts:4');
    expect(repeatedLines([twice[0], { path: 'b.ts', text: text.replaceAll('value', 'other') }])).toEqual([]);
  });
});
