import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error: a tool without types
import { exportsOf, libraryPage, stabilityOf } from './library-page.mjs';

interface Declaration {
  readonly kind: string;
  readonly doc: { readonly about: string; readonly throws: string[]; readonly examples: string[] };
}

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

it('docs/library.md is what the declarations say (node tools/library-page.mjs writes it)', () => {
  expect(readFileSync(at('docs/library.md'), 'utf8')).toBe(libraryPage());
});

it('what people call says what it does, what it throws, and shows how', () => {
  const found: Map<string, Declaration> = exportsOf(at('apps/cli/dist/index.d.ts'));
  expect([...found.keys()]).toEqual(
    expect.arrayContaining(['importRatings', 'train', 'recommend', 'verify', 'Ledger']),
  );
  expect([...found].filter(([, { doc }]) => doc.about === '').map(([name]) => name)).toEqual([]);
  for (const name of ['importRatings', 'train', 'recommend', 'openModel', 'verify', 'ledgerOf']) {
    const { doc } = found.get(name)!;
    expect(doc.throws.length, `@throws of ${name}`).toBeGreaterThan(0);
    expect(doc.examples.length, `@example of ${name}`).toBeGreaterThan(0);
  }
});

it('every door names its exports one by one and says how long they stay', () => {
  const doors = ['packages', 'apps']
    .flatMap((group) => readdirSync(at(group)).map((name) => `${group}/${name}/src/index.ts`))
    .concat('apps/cli/src/plugin.ts', 'apps/page/src/client.ts')
    .filter((door) => existsSync(at(door)));
  expect(doors.length).toBeGreaterThan(18);
  const text = (door: string) => readFileSync(at(door), 'utf8');
  expect(doors.filter((door) => /^export (?:type )?\*/m.test(text(door)))).toEqual([]);
  expect(doors.filter((door) => stabilityOf(text(door)).door === undefined)).toEqual([]);
  const source =
    "// @public: kept.\nexport { a } from './a.js';\n\n// @beta: new.\nexport { b, type C } from './b.js';\n";
  expect(stabilityOf(source)).toEqual({ door: 'public', beta: ['b', 'C'] });
  expect(stabilityOf("// @beta\nexport { a } from './a.js';\n")).toEqual({ door: 'beta', beta: [] });
});
