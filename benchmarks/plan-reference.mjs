// Runs that `hushrec privacy plan` reads its range of quality off: quality of hush against ε on data sets of several shapes, beside the bestseller list (or
// one average for everything) and the same without privacy. Writes packages/model/src/plan/reference-runs.ts. Real data sets are read from the folder named by HUSHREC_DATA and
// must all be there; some minutes on two cores.
//
//   HUSHREC_DATA=… npm run plan:reference
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { openDataset } from '@hushrec/ratings';

const root = fileURLToPath(new URL('..', import.meta.url));
const data = process.env.HUSHREC_DATA;
if (!data) throw new Error('HUSHREC_DATA is not set; give the folder with the real data sets.');
const work = mkdtempSync(join(tmpdir(), 'hushrec-plan-reference-'));
const epsilons = [0.5, 1, 2, 5, 20];
const delta = 1e-6;

/** The first three columns of a packed file, as commas. */
function triples(path, separator) {
  const text = gunzipSync(readFileSync(join(data, path))).toString('utf8');
  const file = join(work, `${path.replaceAll(/\W+/g, '-')}.csv`);
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  writeFileSync(file, rows.map((line) => line.trim().split(separator).slice(0, 3).join(',')).join('\n'));
  return ['import', file, '--header', 'no', '--columns', '1,2,3'];
}
const generated = (users, items, ratings, seed) =>
  ['generate', '--users', users, '--items', items, '--ratings', ratings, '--seed', seed].map(String);

/** Name, how to get it, and the least rating that counts as a like. */
const sets = [
  ['MovieLens 1M', [...triples('ml-1m/ratings-3col.dat.gz', '::'), '--scale', '1:5:1'], 4],
  ['MovieLens 100K', [...triples('ml-100k/u.data.gz', '\t'), '--scale', '1:5:1'], 4],
  ['FilmTrust', [...triples('filmtrust/ratings.txt.gz', ' '), '--scale', '0.5:4:0.5'], 3],
  [
    'Amazon Instant Video',
    [...triples('amazon-instant-video/ratings_5core.csv.gz', ','), '--scale', '1:5:1'],
    4,
  ],
  ['generated, 10,000 people', generated(10_000, 1500, 800_000, 11), 4],
  ['generated, 600 people', generated(600, 3000, 80_000, 12), 4],
  ['generated, 30,000 people, few ratings each', generated(30_000, 4000, 500_000, 13), 4],
];

function hushrec(...args) {
  const run = spawnSync(process.execPath, [`${root}apps/cli/bin/hushrec.js`, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (run.status !== 0) throw new Error(`hushrec ${args.join(' ')}\n${run.stderr}`);
  return run.stdout;
}

/** Mean count of an item in units of one person, and its shape: what a forecast has to be right about. */
async function shapeOf(folder) {
  const { ratings } = await openDataset(folder);
  const { byUser, itemCount } = ratings;
  const counts = new Float64Array(itemCount);
  for (const item of byUser.indices) counts[item]++;
  counts.sort().reverse();
  const share = (from, to) =>
    counts.slice(from, to).reduce((sum, each) => sum + each, 0) / byUser.indices.length;
  return {
    people: byUser.rowCount,
    items: itemCount,
    ratingsPerPerson: Number((byUser.indices.length / byUser.rowCount).toPrecision(4)),
    headShare: Number(share(0, Math.ceil(itemCount / 10)).toPrecision(3)),
    tailShare: Number(share(Math.floor(itemCount / 2)).toPrecision(3)),
  };
}

const runs = [];
for (const [name, [command, ...args], liked] of sets) {
  const folder = join(work, name.replaceAll(/\W+/g, '-'));
  hushrec(
    ...(command === 'import' ? ['import', args[0], folder, ...args.slice(1)] : ['generate', folder, ...args]),
  );
  const shape = await shapeOf(folder);
  for (const feedback of ['likes', 'ratings']) {
    const isLikes = feedback === 'likes';
    const metric = isLikes ? 'recall@20' : 'rmse';
    const compared = JSON.parse(
      hushrec(
        'compare',
        folder,
        '--methods',
        isLikes ? 'popularity,ials,hush' : 'global-average,als,hush',
        '--epsilons',
        epsilons.join(','),
        '--delta',
        String(delta),
        '--repeats',
        '1',
        '--people',
        String(Number(shape.people.toPrecision(1))),
        '--metric',
        metric,
        '--protocol',
        isLikes ? 'strong-generalization' : 'holdout',
        ...(isLikes ? ['--liked', String(liked)] : []),
        '--out',
        join(work, `${folder}-${feedback}`),
        '--json',
      ),
    );
    const mean = (method, epsilon) =>
      Number(
        compared.rows
          .find(
            (row) =>
              row.method === method &&
              row.metric === metric &&
              (epsilon === undefined || Math.abs(row.epsilon - epsilon) < 0.01 * epsilon),
          )
          .mean.toPrecision(4),
      );
    const points = epsilons.map((epsilon) => ({ epsilon, quality: mean('hush', epsilon) }));
    const run = {
      name,
      feedback,
      ...shape,
      delta,
      metric,
      baseline: mean(isLikes ? 'popularity' : 'global-average'),
      withoutPrivacy: mean(isLikes ? 'ials' : 'als'),
      points,
    };
    // Where even a model without privacy gains next to nothing, there is no way to be part of.
    const least = isLikes ? 0.25 : 0.1;
    if (Math.abs(run.withoutPrivacy - run.baseline) > least * run.baseline) runs.push(run);
    console.log(JSON.stringify(run));
  }
}
rmSync(work, { recursive: true, force: true });
writeFileSync(
  `${root}packages/model/src/plan/reference-runs.ts`,
  `import type { ReferenceRun } from './reference-run.js';\n\n/** Written by \`npm run plan:reference\`: do not edit. */\nexport const referenceRuns: readonly ReferenceRun[] = ${JSON.stringify(runs)};\n`,
);
spawnSync('npx', ['biome', 'check', '--write', `${root}packages/model/src/plan`], { stdio: 'ignore' });
