// Draws what came of the papers' claims: the results of papers/<paper>/README.md and docs/papers.md, from the
// claims (papers/<paper>/claims.ts) and the stored results (papers/results).
//
//   npm run papers                    draw the pages
//   npm run papers -- --keep FOLDER [--commit C]
//                                     first store what `hushrec reproduce --out FOLDER` left there, as made by
//                                     this commit (HEAD unless given)
//
// A full run replaces a quick one of the same experiment; a quick run never replaces a full one.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { claims, findingsOf, judged, measuresOf } from '@hushrec/papers/experiments';

const root = fileURLToPath(new URL('..', import.meta.url));
const stored = join(root, 'papers/results');
const marker = '<!-- results: drawn by `npm run papers` -->';
const folders = ['dpals', 'dp-cmf', 'am-ssp', 'friedman', 'dpimf'];
const papers = [...new Set(claims.map(({ paper }) => paper))];

/** What is stored of each experiment, by its id. */
export function readResults() {
  if (!existsSync(stored)) return new Map();
  const results = readdirSync(stored).map((name) => JSON.parse(readFileSync(join(stored, name), 'utf8')));
  return new Map(results.map((result) => [result.experiment, result]));
}

/** Copies finished experiments from a folder that `hushrec reproduce` wrote, with commit and date. */
function keepResults(folder, made) {
  const commit = execFileSync('git', ['rev-parse', '--short=12', made], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  const before = readResults();
  mkdirSync(stored, { recursive: true });
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const path = join(folder, name);
    const { experiment, quick, seed, cpuSeconds, findings } = JSON.parse(readFileSync(path, 'utf8'));
    if (experiment === undefined || (quick && before.get(experiment)?.quick === false)) continue;
    const date = statSync(path).mtime.toISOString().slice(0, 10);
    const result = { experiment, quick, seed, date, commit, cpuSeconds, findings };
    writeFileSync(
      join(stored, `${experiment.replaceAll('/', '-')}.json`),
      `${JSON.stringify(result, null, 2)}\n`,
    );
    console.log(`${experiment}: ${quick ? 'quick' : 'full'} run of ${date} stored`);
  }
}

const cell = (text) => String(text).replaceAll('|', '\\|');
const row = (cells) => `| ${cells.map(cell).join(' | ')} |`;
const table = (heads, rows) => [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n');
/** JSON has no ∞ and no NaN: `reproduce` writes them as an object. */
const numberOf = (value) => (typeof value === 'object' && value !== null ? Number(value.number) : value);
const short = (value, digits = 3) => {
  const number = numberOf(value);
  return Number.isFinite(number) ? String(Number(number.toPrecision(digits))) : number > 0 ? 'never' : '–';
};

/** At most so many findings of a claim are listed one by one; of more, the extremes. */
const listed = 4;

function measuredOf(claim, findings) {
  const name = measuresOf(claim, findings);
  const one = ({ measured, error }) =>
    short(measured) +
    (error === undefined || !Number.isFinite(numberOf(error)) ? '' : ` ± ${short(error, 2)}`);
  const values = findings.map(({ measured }) => numberOf(measured));
  const numbers =
    findings.length <= listed
      ? findings.map(one).join('; ')
      : `${findings.length} findings, ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
  return name === undefined ? numbers : `${name}: ${numbers}`;
}

function publishedOf(findings) {
  const numbers = findings.flatMap(({ published }) => (published === undefined ? [] : [numberOf(published)]));
  if (numbers.length === 0) return '–';
  if (numbers.length <= listed) return numbers.map((each) => short(each)).join('; ');
  return `${short(Math.min(...numbers))} to ${short(Math.max(...numbers))}`;
}

/**
 * How often what was measured was run, as the notes of the findings say: “10 runs”, “5 pairs of runs”; where
 * they do not, those of the experiment's other findings.
 */
function runsOf(findings, others = []) {
  const said = findings.flatMap(({ note = '' }) => {
    const [, count] = /\b(\d+) (?:pairs? of )?(?:runs?|seeds)\b/.exec(note) ?? [];
    return count === undefined ? [] : [Number(count)];
  });
  if (said.length === 0) return others.length === 0 ? '–' : runsOf(others);
  const [least, most] = [Math.min(...said), Math.max(...said)];
  return least === most ? least : `${least} to ${most}`;
}

/**
 * “t(9), p = 0.002”; of several tests the largest p-value, which decides whether all of them hold. Where
 * nothing is tested, the rule of the claim.
 */
function testOf(findings, rule = '–') {
  const tests = findings.flatMap(({ test }) => (test === undefined ? [] : [test]));
  if (tests.length === 0) return rule;
  const { degrees, p } = tests.reduce((worst, each) => (numberOf(each.p) > numberOf(worst.p) ? each : worst));
  const chance = numberOf(p) < 0.001 ? 'p < 0.001' : `p ${tests.length > 1 ? '≤' : '='} ${short(p, 2)}`;
  return `t(${short(degrees)}), ${chance}`;
}

/** A claim with its verdict. */
export function judge(claim, results) {
  const result = results.get(claim.experiment);
  const none = { ...claim, result, published: '–', measured: '', runs: '–', test: '–' };
  if (result === undefined) return { ...none, verdict: 'not run' };
  const decided = findingsOf(claim, result.findings);
  const reported = result.findings.filter(({ what }) => claim.by.test(what));
  const findings = decided.length > 0 ? decided : reported;
  if (findings.length === 0) return { ...none, verdict: result.quick ? 'in the full run only' : 'not run' };
  return {
    ...claim,
    result,
    published: publishedOf(findings),
    measured: measuredOf(claim, findings),
    runs: runsOf(findings, result.findings),
    test: decided.length === 0 ? '–' : testOf(decided, claim.rule),
    verdict: judged(decided, claim.cause),
  };
}

/** The paper's own words, and what is judged. */
const wordsOf = ({ quote, says }) => (quote === undefined ? says : `“${quote}”<br>${says}`);

function resultsSection(rows, results) {
  const heads = ['where', 'the paper says', 'published', 'measured', 'runs', 'test', 'verdict', 'experiment'];
  const ids = [...new Set(rows.map(({ experiment }) => experiment))].filter((id) => results.has(id));
  return [
    '## Results',
    '',
    'Figures are test figures of seeded simulations. “±” is a standard error. A claim holds if a two-sided t test',
    'tells the difference from none at 5%; “tie” means that it does not, “reported” that there was one run.',
    'Where several findings decide one claim, the test shown is the weakest of them; where nothing is tested, the',
    'column says how it is judged. In quotation marks are the paper’s own words; rows without them are of figures',
    'and tables that show it without saying so. What does not hold, and why, stands in',
    '[one list](../../docs/papers.md) for all papers.',
    '',
    table(
      heads,
      rows.map(({ where, published, measured, runs, test, verdict, experiment, result, ...claim }) => [
        where,
        wordsOf(claim),
        published,
        measured,
        runs,
        test,
        verdict,
        `\`${experiment}\`${result?.quick ? ' (quick)' : ''}`,
      ]),
    ),
    '',
    ...(ids.length === 0
      ? []
      : [
          '<details><summary>Runs</summary>',
          '',
          table(
            ['experiment', 'run', 'date', 'commit', 'processor minutes', 'findings'],
            ids.map((id) => {
              const { quick, date, commit, cpuSeconds, findings } = results.get(id);
              const minutes = (cpuSeconds / 60).toFixed(1);
              return [`\`${id}\``, quick ? 'quick' : 'full', date, `\`${commit}\``, minutes, findings.length];
            }),
          ),
          '',
          '</details>',
          '',
        ]),
  ].join('\n');
}

/** What does not hold, wholly or in part, and what cannot be compared: of all papers in one list. */
function whatDoesNotHold(rows) {
  const own = rows.filter(
    ({ cause, verdict }) =>
      !/^(?:holds|not run)$/.test(verdict) && (cause !== undefined || /does not/.test(verdict)),
  );
  return table(
    ['paper', 'where', 'it says', 'verdict', 'experiment', 'cause', 'why'],
    own.map(({ paper, where, verdict, experiment, cause, ...claim }) => [
      paper,
      where,
      wordsOf(claim),
      verdict,
      `\`${experiment}\``,
      cause?.kind ?? 'cause not found',
      cause?.why ?? '–',
    ]),
  );
}

const kinds = ['hold', 'hold in part', 'tie', 'do not hold', 'not comparable', 'reported only', 'not run'];
function kindOf(verdict) {
  if (verdict === 'holds') return 'hold';
  if (verdict === 'a tie') return 'tie';
  if (verdict === 'does not hold') return 'do not hold';
  if (verdict === 'reported only' || verdict === 'not comparable') return verdict;
  return /not run|full run/.test(verdict) ? 'not run' : 'hold in part';
}

function overview(rows) {
  return table(
    ['paper', 'claims', ...kinds],
    papers.map((paper, at) => {
      const own = rows.filter((each) => each.paper === paper);
      const counts = kinds.map((kind) => own.filter(({ verdict }) => kindOf(verdict) === kind).length);
      return [`[${paper}](../papers/${folders[at]}/README.md)`, own.length, ...counts];
    }),
  );
}

/** Every page with its drawn part made anew. */
export function drawPages() {
  const results = readResults();
  const rows = claims.map((claim) => judge(claim, results));
  const pages = papers.map((paper, at) => ({
    path: `papers/${folders[at]}/README.md`,
    drawn: resultsSection(
      rows.filter((each) => each.paper === paper),
      results,
    ),
  }));
  pages.push({
    path: 'docs/papers.md',
    drawn: [overview(rows), '## What does not hold, and why', whatDoesNotHold(rows)].join('\n\n'),
  });
  return pages.map(({ path, drawn }) => {
    const text = readFileSync(join(root, path), 'utf8');
    const start = text.indexOf(marker);
    if (start < 0) throw new Error(`${path} has no line “${marker}”.`);
    return { path, text: `${text.slice(0, start)}${marker}\n\n${drawn.trimEnd()}\n` };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { keep: { type: 'string' }, commit: { type: 'string' } } });
  if (values.keep !== undefined) keepResults(values.keep, values.commit ?? 'HEAD');
  for (const { path, text } of drawPages()) writeFileSync(join(root, path), text);
}
