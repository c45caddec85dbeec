import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const walk = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split("## A newcomer's walk")[1];
const stops = [...walk.matchAll(/^\d+\. `(\w+)` in `([^`]+)`/gm)].map(([, name, file]) => ({ name, file }));

it('the newcomer’s walk has at most ten stops, and each is a function of a file that is there', () => {
  expect(stops.length).toBe([...walk.matchAll(/^\d+\. /gm)].length);
  expect(stops.length).toBeGreaterThan(6);
  expect(stops.length).toBeLessThanOrEqual(10);
  const isDeclared = ({ name, file }: (typeof stops)[number]) =>
    existsSync(join(root, file)) &&
    new RegExp(`^(?:export )?(?:(?:async )?function|const) ${name}\\b|^ {2}(?:async )?${name}[(<]`, 'm').test(
      readFileSync(join(root, file), 'utf8'),
    );
  expect(stops.filter((stop) => !isDeclared(stop))).toEqual([]);
});

it('a line of CSV passes every stop on its way to a recommendation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-walk-'));
  try {
    const lines = Array.from({ length: 400 }, (_, k) => `u${k % 40},i${(k * 7) % 30},${1 + (k % 5)}`);
    writeFileSync(join(folder, 'ratings.csv'), lines.join('\n'));
    writeFileSync(join(folder, 'history.csv'), 'item,rating\ni7,5\n');
    const coverage = join(folder, 'coverage');
    const hushrec = (...args: string[]) =>
      spawnSync(process.execPath, [join(root, 'apps/cli/bin/hushrec.js'), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, NODE_V8_COVERAGE: coverage, XDG_STATE_HOME: join(folder, 'state') },
      });
    const trained = hushrec(...'train ratings.csv --scale 1:5:1 --epsilon 1 --out model'.split(' '));
    expect(trained.status, trained.stderr).toBe(0);
    expect(hushrec(...'recommend model --history history.csv'.split(' ')).status).toBe(0);
    const calls = callsIn(coverage);
    const isPassed = ({ name, file }: (typeof stops)[number]) => {
      const built = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
      const passes = (call: string, where: string) => calls.has(`${where} ${call}`);
      // A method is a value whose `train` is called; what a port declares is done by a file beside it.
      const beside = [...calls].some(
        (call) => call.startsWith(`${dirname(built)}/`) && call.endsWith(` ${name}`),
      );
      return passes(name, built) || passes('train', built) || beside;
    };
    expect(stops.filter((stop) => !isPassed(stop))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** `<file of a build> <function>` for every function that was called. */
function callsIn(coverage: string): ReadonlySet<string> {
  interface Script {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }
  return new Set(
    readdirSync(coverage).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: Script[] };
      return result.flatMap(({ url, functions }) => {
        const file = url.replace(/^.*\/(?=(?:packages|apps)\/)/, '');
        return functions.flatMap(({ functionName, ranges }) =>
          ranges[0].count > 0 ? [`${file} ${functionName}`] : [],
        );
      });
    }),
  );
}

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
