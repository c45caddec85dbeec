// What documents may not say, and figures that several of them state: each from one place.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { percentWords, posteriorOf } from '@hushrec/model/words';
import { referenceRuns } from '@hushrec/planner';
import { gaussianEpsilon, muFor, replaceFactorOfSquaredMu, tuningEpsilon } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a tool without types
import { mostBytes } from './release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '');
/** Pages of history, and those that are made from code. */
const others = /^(?:CHANGELOG|SECURITY)\.md$|^docs\/(?:commands|library|notation|doors|pictures)\.md$/;
const pages = tracked.filter((path) => !others.test(path));
const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');

const history =
  /scripts? that (?:is|are) (?:not|no longer) kept|script not kept|as (?:it was|they were) for a while|for some days|used to be\b|formerly|(?:on|with|from) an? earlier build|the commit before|\bgone since\b|older than the commands/i;
const sourcelessOf = (text: string) =>
  text.split('\n').filter((line) => history.test(line.replace(/\s+/g, ' ')));

describe('documents say what is', () => {
  it('finds a source that is not kept, and history', () => {
    expect(sourcelessOf('3% more, by scripts that are not kept here.')).toHaveLength(1);
    expect(sourcelessOf('The rule was 5, as it was for a while.')).toHaveLength(1);
    expect(sourcelessOf('The rule is 5 (`npm run bench`).')).toEqual([]);
  });

  it.each(pages)('%s', (page) => {
    expect(sourcelessOf(read(page))).toEqual([]);
    // 73%, as English writes it; names of claims on the papers' pages are keys of stored results.
    if (page.startsWith('papers/')) return;
    expect(withoutCode(read(page)).match(/.{0,30}\d %.{0,10}/g) ?? []).toEqual([]);
  });
});

describe('figures that several pages state', () => {
  const sure = (epsilon: number, before = 0.5) => percentWords(posteriorOf(before, epsilon));
  /** The rows below the one that begins with ε: what stands first, and what belongs to each ε. */
  const tableOf = (page: string) => {
    const lines = read(page).split('\n');
    const at = lines.findIndex((line) => /^\| ε \|/.test(line));
    const cells = (line: string) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
    const [, ...epsilons] = cells(lines[at]).map(Number);
    const rows = lines.slice(at + 2);
    return rows
      .slice(
        0,
        rows.findIndex((line) => !line.startsWith('|')),
      )
      .map(cells)
      .map(([first, ...values]) => ({ first, epsilons, values }));
  };

  it.each(['docs/privacy/promise.md', 'docs/guides/choosing-epsilon.md'])(
    'what a guess can become, in the table of %s',
    (page) => {
      const table = tableOf(page);
      expect(table.length).toBeGreaterThan(0);
      for (const { first, epsilons, values } of table) {
        expect(epsilons.length).toBeGreaterThan(3);
        const before = first === 'sure' ? 50 : Number.parseFloat(first!);
        expect(values, first).toEqual(epsilons.map((epsilon) => sure(epsilon, before / 100)));
      }
    },
  );

  it('what 50% can become, in sentences', () => {
    const stated = pages.flatMap((page) => [
      ...[...read(page).matchAll(/(\d[\d.]*%) (?:sure )?(?:from a model )?with ε = (\d+)/g)].map(
        ([, percent, epsilon]) => [page, Number(epsilon), percent],
      ),
      ...[...read(page).matchAll(/Is ε = (\d+) safe\?.*?at most (\d[\d.]*%) sure/gs)].map(
        ([, epsilon, percent]) => [page, Number(epsilon), percent],
      ),
    ]);
    expect(stated.length).toBeGreaterThanOrEqual(4);
    expect(stated).toEqual(stated.map(([page, epsilon]) => [page, epsilon, sure(Number(epsilon))]));
    // The texts for a DPIA and for customers take the ε that they name.
    const officer = read('docs/guides/privacy-officer.md');
    expect(officer).toContain(`ε = [4] a year`);
    for (const words of ['50% → [NN]% after the whole budget', 'cannot become more than [NN]% sure'])
      expect(officer).toContain(words.replace('NN', String(Math.round(Number.parseFloat(sure(4))))));
  });

  it('what MovieLens 1M keeps, from the recorded runs', () => {
    const run = referenceRuns.find(({ name, feedback }) => name === 'MovieLens 1M' && feedback === 'likes')!;
    const kept = (epsilon: number) => {
      const { quality } = run.points.find((point) => point.epsilon === epsilon)!;
      return Math.round((100 * (quality - run.baseline)) / (run.withoutPrivacy - run.baseline));
    };
    const stated = pages.filter((page) => /MovieLens 1M keeps/.test(read(page)));
    expect(stated).toContain('README.md');
    for (const page of stated)
      expect(read(page), page).toContain(
        `At ε = 1, MovieLens 1M keeps ${kept(1)}% of a non-private model's gain over a bestseller list, and ${kept(5)}% at ε = 5`,
      );
  });

  it('what several runs cost together, from the accountants', () => {
    const delta = 1e-6;
    const runs = (count: number, epsilon: number, at = delta) =>
      gaussianEpsilon(muFor(epsilon, at) * Math.sqrt(count), at);
    const tuned = (shape: number, mean: number) =>
      tuningEpsilon(muFor(1, 1e-5), { law: 'negative-binomial', shape, mean }, 1e-5).toFixed(2);
    const stated: readonly (readonly [string, string])[] = [
      [
        'docs/guides/choosing-epsilon.md',
        `twelve runs at ε = 0.5 come to about ε = ${runs(12, 0.5).toFixed(1)},`,
      ],
      ['docs/guides/growing-data.md', `Two runs at ε = 0.5 cost ${runs(2, 0.5).toFixed(2)},`],
      [
        'docs/guides/growing-data.md',
        `Twelve runs within ε = 2 may take ε = ${runs(1 / 12, 2).toFixed(2)} each`,
      ],
      [
        'docs/ledger.md',
        `Four Gaussian runs of ε = 1 (δ = 1e-5) cost ε = ${runs(4, 1, 1e-5).toFixed(2)}, not 4`,
      ],
      [
        'docs/ledger.md',
        `10 runs on average cost ${tuned(1, 10)} and 100 cost ${tuned(1, 100)} by the geometric law`,
      ],
      ['docs/ledger.md', `the logarithmic law (\`costOf\`) gives ${tuned(0, 10)} and ${tuned(0, 100)}`],
      [
        'docs/decisions.md',
        `Replacing a person needs up to ${Math.sqrt(replaceFactorOfSquaredMu(1, 1))} times the noise`,
      ],
    ];
    for (const [page, text] of stated) expect(read(page).replace(/\s+/g, ' '), page).toContain(text);
  });

  it('which Node is needed, from the package', () => {
    const { engines } = JSON.parse(read('package.json'));
    const stated = pages.flatMap((page) =>
      [...read(page).matchAll(/Node (?:is )?(\d+\.\d+) or (?:newer|later)/g)].map(([, version]) => [
        page,
        version,
      ]),
    );
    expect(stated.length).toBeGreaterThan(4);
    expect(stated).toEqual(stated.map(([page]) => [page, engines.node.replace('>=', '')]));
  });

  it('how small the client is, from the limit of the release', () => {
    const stated = [...pages, 'CHANGELOG.md'].flatMap((page) =>
      [...read(page).matchAll(/(?:less than|under) (\d+) kB/g)].map(([, size]) => [page, Number(size)]),
    );
    expect(stated.length).toBeGreaterThan(2);
    expect(stated).toEqual(stated.map(([page]) => [page, mostBytes.client / 1000]));
  });

  it('what was measured of time and memory stands on one page', () => {
    const places = new Map<string, Set<string>>();
    for (const page of pages)
      for (const [figure] of withoutCode(read(page)).matchAll(
        /\b(?:\d[\d,]*\.\d+|\d[\d,]*\d) (?:µs|ms|seconds|minutes|hours|processor seconds|kB|MB|GB)\b/g,
      ))
        places.set(figure, (places.get(figure) ?? new Set()).add(page));
    const measured = [...places];
    expect(measured.length).toBeGreaterThan(20);
    expect(
      measured.filter(([, where]) => where.size > 1).map(([figure, where]) => [figure, ...where]),
    ).toEqual([]);
  });
});

/** The anchor that the repository's site makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
const anchorsOf = (path: string) => [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, text]) => anchorOf(text));

it('links into a page lead to a heading of it', () => {
  const dead = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\(([^)\s#:]*\.md)?#([^)\s]+)\)/g)].flatMap(
      ([link, file, anchor]) => {
        const target = file === undefined ? page : posix.join(posix.dirname(page), file);
        return anchorsOf(target).includes(anchor) ? [] : [`${page}: ${link}`];
      },
    ),
  );
  expect(dead).toEqual([]);
});

it('each line of the privacy officer’s checklist links to its answer', () => {
  const checklist = read('docs/guides/privacy-officer.md').split('## Checklist')[1];
  const rows = checklist.split('\n').filter((line) => /^\| [A-Z]/.test(line));
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((row) => !/\]\([^)]+\)/.test(row))).toEqual([]);
});

describe('± is the standard error of a mean, everywhere', () => {
  /** A measured figure with its error; not the ± of formulas, as in 1 ± 2e^(−x). */
  const measured = /\d%? ± \d[\d.]*(?!e\^|[\d.])/;

  it('and the page of whom it concerns says so', () => {
    expect(read('docs/guides/researcher.md')).toContain('± is the standard error of the mean');
  });

  it.each(pages.filter((page) => measured.test(read(page))))('%s', (page) => {
    expect(read(page)).toMatch(/standard errors?\b/);
    expect(read(page)).not.toMatch(/± (?:is|are)? ?(?:one |a )?standard deviation/i);
  });

  it('whatever prints it takes an error', () => {
    const sources = execFileSync('git', ['ls-files', '--', '*.ts', '*.tsx', '*.mjs'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((path) => path !== '' && !path.includes('.test.'));
    const printed = sources.flatMap((path) =>
      [...read(path).matchAll(/±[^`\n]*?\$\{[^`\n]*/g)].map(([text]) => [path, text] as const),
    );
    expect(printed.length).toBeGreaterThan(10);
    const isError = /error|\/ Math\.sqrt\(runs\)|Math\.sqrt\(variance \/ values\.length\)|largestTarget/i;
    expect(printed.filter(([, text]) => !isError.test(text))).toEqual([]);
    expect('± {sd.toFixed(4)}').not.toMatch(isError);
  });
});
