import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('the newcomer’s walk has at most twelve stops, and each is a function of a file that is there', () => {
  const walk = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split("## A newcomer's walk")[1];
  const stops = [...walk.matchAll(/^\d+\. `(\w+)` in `([^`]+)`/gm)].map(([, name, file]) => ({ name, file }));
  expect(stops.length).toBe([...walk.matchAll(/^\d+\. /gm)].length);
  expect(stops.length).toBeGreaterThan(6);
  expect(stops.length).toBeLessThanOrEqual(12);
  const isDeclared = ({ name, file }: (typeof stops)[number]) =>
    existsSync(join(root, file)) &&
    new RegExp(`^(?:export )?(?:(?:async )?function|const) ${name}\\b|^ {2}(?:async )?${name}[(<]`, 'm').test(
      readFileSync(join(root, file), 'utf8'),
    );
  expect(stops.filter((stop) => !isDeclared(stop))).toEqual([]);
});

it('docs/README.md leads to every document', () => {
  const list = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const documents = ['', 'privacy/'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => folder + name),
  );
  expect(documents.filter((name) => !list.includes(`](${name})`))).toEqual([]);
  const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
  expect(links.filter((link) => !existsSync(join(root, 'docs', link)))).toEqual([]);
});
