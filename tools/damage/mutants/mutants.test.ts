import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** The tools are plain modules, which the types of tests do not cover. */
interface Fault {
  readonly name: string;
  readonly file: string;
  readonly find: string | RegExp;
  readonly replace: string;
}
const load = (name: string) => import(new URL(name, import.meta.url).href);
const { faults }: { faults: readonly Fault[] } = await load('made.mjs');
const { harmless }: { harmless: ReadonlyMap<string, string> } = await load('harmless.mjs');
const mechanical: {
  mechanicalFaults(root: string, count: number, seed: number): readonly Fault[];
  allMechanicalFaults(root: string): readonly Fault[];
} = await load('mechanical.mjs');
const { runTests } = await load('run-tests.mjs');

describe('faults', () => {
  it('made by hand have their places in the tree: at least 60, at most three a file', () => {
    const text = (file: string) => readFileSync(join(root, file), 'utf8');
    const gone = faults.filter(
      ({ file, find, replace }) => text(file).replace(find, () => replace) === text(file),
    );
    expect(gone.map(({ name }) => name)).toEqual([]);
    expect(faults.length).toBeGreaterThanOrEqual(60);
    const files = faults.map(({ file }) => file);
    expect(files.filter((file) => files.filter((each) => each === file).length > 3)).toEqual([]);
  });

  it('made by rule are the same for the same seed, each changes its file, and no two have a name', () => {
    const drawn = mechanical.mechanicalFaults(root, 200, 1);
    expect(drawn).toHaveLength(200);
    expect(mechanical.mechanicalFaults(root, 200, 1)).toEqual(drawn);
    expect(mechanical.mechanicalFaults(root, 200, 2)).not.toEqual(drawn);
    expect(new Set(drawn.map(({ name }) => name)).size).toBe(200);
    for (const { name, file, find, replace } of drawn) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(
        text.replace(find, () => replace),
        name,
      ).not.toBe(text);
    }
  });

  it('that need not be noticed are in the tree', () => {
    const names = new Set([...faults, ...mechanical.allMechanicalFaults(root)].map(({ name }) => name));
    expect([...harmless.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('a run of tests', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hushrec-mutants-test-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    const file = (name: string, body: string) =>
      writeFileSync(
        join(folder, `${name}.test.ts`),
        `import { expect, it } from 'vitest';\nit('is tried', async () => { ${body} });\n`,
      );
    file('right', 'expect(1).toBe(1);');
    file('wrong', 'expect(1).toBe(2);');
    file('late', 'await new Promise(() => {});');
    file('dead', 'process.kill(process.pid, "SIGKILL"); await new Promise(() => {});');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['right', 'passed', ['right.test.ts']],
    ['wrong', 'failed', ['wrong.test.ts']],
    ['late', 'late', ['late.test.ts']],
    ['dead', 'died', []],
  ])('that is %s ends as "%s"', async (name, ended, files) => {
    const testTimeout = name === 'late' ? 300 : 60_000;
    expect(await runTests(folder, [`${name}.test.ts`], { testTimeout })).toEqual({ ended, files });
  });
});
