// Runs that `hushrec privacy plan` reads its range of quality off: quality of hush against ε on data sets of
// several shapes, beside the bestseller list (or one average for everything) and the best without privacy.
// Writes packages/planner/src/reference-runs.ts, and beside it plan-checks.test.data.ts: the same of three
// generated sets that no forecast reads anything off, for the test that asks whether they fall within its
// range. Real data sets are read from the folder named by HUSHREC_DATA and must all be there. Each point is
// several runs with noise and splits of their own; their mean is kept, and the least and the most. With
// `--keep`, what was measured is kept in that folder, and a call that was stopped goes on where it was.
//
// With `--feedback ratings`, likes stay as they are.
//
//   HUSHREC_DATA=… npm run plan:reference -- [--runs 5] [--keep folder] [--only 'part of a name']
//     [--feedback ratings]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { referenceRuns } from '@hushrec/planner';
import { openDataset } from '@hushrec/ratings';
import { planChecks } from '../packages/planner/dist/plan-checks.test.data.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const data = process.env.HUSHREC_DATA;
if (!data) throw new Error('HUSHREC_DATA is not set; give the folder with the real data sets.');
const { values: asked } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    keep: { type: 'string' },
    only: { type: 'string' },
    feedback: { type: 'string' },
  },
});
const work = mkdtempSync(join(tmpdir(), 'hushrec-plan-reference-'));
const kept = resolve(asked.keep ?? join(work, 'measured'));
mkdirSync(kept, { recursive: true });
const state = { ...process.env, XDG_STATE_HOME: join(work, 'state') };
const epsilons = [0.5, 1, 2, 5, 20];
const delta = 1e-6;
/** Runs a point. */
const runsOfPoint = Number(asked.runs);

/** The first columns of a packed file, as commas. */
function packed(path, separator, { columns = 3, heading = false } = {}) {
  const text = gunzipSync(readFileSync(join(data, path))).toString('utf8');
  const file = join(work, `${path.replaceAll(/\W+/g, '-')}.csv`);
  const rows = text.split('\n').filter((line, at) => line.trim() !== '' && !(heading && at === 0));
  writeFileSync(
    file,
    rows.map((line) => line.trim().split(separator).slice(0, columns).join(',')).join('\n'),
  );
  return ['import', file, '--header', 'no', '--columns', columns === 3 ? '1,2,3' : '1,2,-'];
}
const generated = (users, items, ratings, seed) =>
  ['generate', '--people', users, '--items', items, '--ratings', ratings, '--seed', seed].map(String);

/** Name, how to get it, and the least rating that counts as a like; none where there are only likes. */
const references = [
  ['MovieLens 1M', [...packed('ml-1m/ratings-3col.dat.gz', '::'), '--scale', '1:5:1'], 4],
  ['MovieLens 100K', [...packed('ml-100k/u.data.gz', '\t'), '--scale', '1:5:1'], 4],
  ['FilmTrust', [...packed('filmtrust/ratings.txt.gz', ' '), '--scale', '0.5:4:0.5'], 3],
  [
    'Amazon Instant Video',
    [...packed('amazon-instant-video/ratings_5core.csv.gz', ','), '--scale', '1:5:1'],
    4,
  ],
  [
    'Amazon Instant Video, all items',
    [...packed('amazon-instant-video/ratings_users-min5.csv.gz', ','), '--scale', '1:5:1'],
    4,
  ],
  ['Last.fm', packed('hetrec2011-lastfm-2k/user_artists.dat.gz', '\t', { columns: 2, heading: true })],
  ['generated, 10,000 people', generated(10_000, 1500, 800_000, 11), 4],
  ['generated, 600 people', generated(600, 3000, 80_000, 12), 4],
  ['generated, 30,000 people, few ratings each', generated(30_000, 4000, 500_000, 13), 4],
];
/** Of other shape than all of these. */
const checks = [
  ['generated, 2,000 people, 300 items', generated(2000, 300, 60_000, 5), 4],
  ['generated, 610 people, 2,000 items', generated(610, 2000, 60_000, 6), 4],
  ['generated, 12,000 people, 20 ratings each', generated(12_000, 4000, 240_000, 7), 4],
];

function hushrec(...args) {
  const run = spawnSync(process.execPath, [`${root}apps/cli/bin/hushrec.js`, ...args], {
    env: state,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(`hushrec ${args.join(' ')}\n${run.stderr}`);
  return run.stdout;
}

/**
 * What a shop can say of itself: people, items, what a person has on average, how uneven it is. Of likes, of
 * likes.
 */
async function shapeOf(folder, liked = -Infinity) {
  const { ratings } = await openDataset(folder);
  const { byUser, itemCount } = ratings;
  const counts = new Float64Array(itemCount);
  let [people, total] = [0, 0];
  for (let user = 0; user < byUser.rowCount; user++) {
    const before = total;
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      if (byUser.values[at] < liked) continue;
      counts[byUser.indices[at]]++;
      total++;
    }
    if (total > before) people++;
  }
  counts.sort().reverse();
  const share = (from, to) => counts.slice(from, to).reduce((sum, each) => sum + each, 0) / total;
  return {
    people,
    items: itemCount,
    ratingsPerPerson: Number((total / people).toPrecision(4)),
    headShare: Number(share(0, Math.ceil(itemCount / 10)).toPrecision(3)),
    tailShare: Number(share(Math.floor(itemCount / 2)).toPrecision(3)),
  };
}

async function measured(sets, before = []) {
  const runs = [];
  for (const [name, [command, ...args], liked] of sets) {
    if (asked.only !== undefined && !name.includes(asked.only)) continue;
    const folder = join(work, slug(name));
    if (command === 'import') hushrec('import', args[0], folder, ...args.slice(1));
    else hushrec('generate', folder, ...args);
    for (const feedback of liked === undefined ? ['likes'] : ['likes', 'ratings']) {
      const isAsked = asked.feedback === undefined || asked.feedback === feedback;
      const run = isAsked
        ? await measure(name, folder, feedback, liked)
        : before.find((each) => each.name === name && each.feedback === feedback);
      runs.push(run);
      console.log(JSON.stringify(run));
    }
  }
  return runs;
}

const slug = (name) => name.replaceAll(/\W+/g, '-');

const short = (value) => Number(value.toPrecision(4));

async function measure(name, folder, feedback, liked) {
  const isLikes = feedback === 'likes';
  const metric = isLikes ? 'recall@20' : 'rmse';
  const [baseline, ...open] = isLikes ? ['popularity', 'ials'] : ['global-average', 'als', 'bayes-als'];
  const shape = await shapeOf(folder, isLikes ? liked : undefined);
  const compared = Array.from({ length: runsOfPoint }, (_, run) =>
    measuredOnce(join(kept, `${slug(name)}-${feedback}-${run + 1}.json`), () => [
      ...['compare', folder, '--methods', [baseline, ...open, 'hush'].join()],
      ...['--epsilons', epsilons.join(','), '--delta', String(delta)],
      ...['--repeats', '1', '--seed', String(run + 1)],
      ...['--people', String(Number(shape.people.toPrecision(1))), '--metrics', metric],
      ...['--goal', isLikes ? 'rank' : 'stars'],
      ...['--protocol', isLikes ? 'strong-generalization' : 'holdout'],
      ...(isLikes && liked !== undefined ? ['--liked', String(liked)] : []),
      ...['--out', `${folder}-${feedback}-${run + 1}`, '--json'],
    ]),
  );
  const of = (method, epsilon) => {
    const values = compared.map(
      ({ rows }) =>
        rows.find(
          (row) =>
            row.method === method &&
            row.metric === metric &&
            (epsilon === undefined || Math.abs(row.epsilon - epsilon) < 0.01 * epsilon),
        ).mean,
    );
    return {
      mean: short(values.reduce((sum, value) => sum + value, 0) / values.length),
      low: short(Math.min(...values)),
      high: short(Math.max(...values)),
    };
  };
  return {
    name,
    feedback,
    ...shape,
    delta,
    metric,
    runs: runsOfPoint,
    baseline: of(baseline).mean,
    withoutPrivacy: short(
      compared.reduce((sum, { withoutPrivacy }) => sum + withoutPrivacy.mean, 0) / compared.length,
    ),
    points: epsilons.map((epsilon) => {
      const { mean, low, high } = of('hush', epsilon);
      return { epsilon, quality: mean, low, high };
    }),
  };
}

/** What a comparison measured: of an earlier call, or now. */
function measuredOnce(file, command) {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const { rows, withoutPrivacy } = JSON.parse(hushrec(...command()));
  writeFileSync(file, JSON.stringify({ rows, withoutPrivacy }));
  return { rows, withoutPrivacy };
}

const place = `${root}packages/planner/src/`;
// Of some sets alone nothing is written: the others would be lost.
if (asked.only !== undefined) {
  await measured([...references, ...checks]);
  process.exit(0);
}
for (const [file, name, sets, before] of [
  ['reference-runs.ts', 'referenceRuns', references, referenceRuns],
  ['plan-checks.test.data.ts', 'planChecks', checks, planChecks],
])
  writeFileSync(
    `${place}${file}`,
    `import type { ReferenceRun } from './reference-run.js';\n\n/** Written by \`npm run plan:reference\`: do not edit. */\nexport const ${name}: readonly ReferenceRun[] = ${JSON.stringify(await measured(sets, before))};\n`,
  );
rmSync(work, { recursive: true, force: true });
spawnSync('npx', ['biome', 'check', '--write', place], { stdio: 'ignore' });
