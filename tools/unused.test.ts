import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methods } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
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
    const test = { path: 'packages/privacy/src/planted.test.ts', text: 'plantedHelper();' };
    const handedOn = {
      path: 'packages/privacy/src/door.ts',
      text: `export { plantedHelper } from './planted.js';`,
    };
    const found: string[] = unused.unusedExports([planted, test, handedOn]);
    expect(found).toEqual([
      'packages/privacy/src/planted.ts: plantedHelper is used by tests alone',
      'packages/privacy/src/planted.ts: plantedConstant is exported and used in its own file alone',
      'packages/privacy/src/planted.ts: PlantedType is used by nobody',
    ]);
    const user = { path: 'apps/cli/src/user.ts', text: 'plantedHelper(plantedConstant as PlantedType);' };
    expect(unused.unusedExports([planted, test, user])).toEqual([]);
    expect(unused.unusedExports([planted], 'plantedHelper plantedConstant PlantedType')).toEqual([]);
  });
  it('on a dependency that is not imported', () => {
    const others = files.filter(({ path }) => !path.startsWith('packages/audit/'));
    expect(unused.unusedDependencies(root, others)).toContain('packages/audit: @hushrec/privacy');
  });
  it('on a setting that is declared and not read', () => {
    const settings = { rank: {}, plantedSetting: {} };
    const schema = { path: 'packages/x/src/y.ts', text: 'const schema = { plantedSetting: { type: 1 } };' };
    expect(unused.unusedSettings([{ settings }], [...files, schema])).toEqual(['plantedSetting']);
    const read = { path: 'packages/x/src/z.ts', text: 'const { rank, plantedSetting } = settings;' };
    expect(unused.unusedSettings([{ settings }], [...files, schema, read])).toEqual([]);
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
