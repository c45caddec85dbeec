import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readModelFolder } from '@hushrec/model/folder';
import { exportCsv, openDataset } from '@hushrec/ratings';
import { packWheel } from '../tools/release.mjs';
import { printTable } from './measure.mjs';

const shape = { people: 37_000, items: 10_000, ratings: 1_000_000, k: 20 };
const command = fileURLToPath(new URL('../apps/cli/bin/hushrec.js', import.meta.url));

/**
 * Lists of 20 for 37,000 people among 10,000 items: by the command, by `recommend_all` of the Python package,
 * and by implicit on the same item vectors. Processor seconds, of all threads and processes.
 */
export async function benchmarkLists({ peers, python, rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-lists-bench-'));
  const at = (name) => join(folder, name);
  const environment = { ...process.env, HUSHREC_LEDGER: at('ledger.sqlite'), XDG_STATE_HOME: folder };
  const hushrec = (...args) => run(process.execPath, [command, ...args], environment, at('usage.json'));
  try {
    const sizes = ['people', 'items', 'ratings'].flatMap((name) => [`--${name}`, String(shape[name])]);
    hushrec('generate', at('shop'), ...sizes);
    const privacy = ['--epsilon', '8', '--people', String(shape.people)];
    hushrec('train', at('shop'), ...privacy, '--liked', '3', '--out', at('model'), '--new-ledger');
    const published = await readModelFolder(at('model'));
    const dataset = await openDataset(at('shop'));
    await exportCsv(at('shop.csv'), dataset);
    const lists = ['recommend', at('model'), '--histories', at('shop'), '-k', String(shape.k), '--overwrite'];
    const rowOf = (by, seconds) => ({
      by,
      'processor seconds': seconds,
      'ms a person': (1000 * seconds) / shape.people,
    });
    const least = (timed) => Math.min(...Array.from({ length: Math.min(rounds, 3) }, timed));
    const rows = ['parquet', 'csv'].map((kind) =>
      rowOf(
        `hushrec recommend, .${kind}`,
        least(() => hushrec(...lists, '--out', at(`lists.${kind}`))),
      ),
    );
    const recommendAll = await pythonPackage(python, folder, environment);
    if (recommendAll !== undefined)
      rows.push(rowOf('recommend_all of the Python package', least(recommendAll)));
    for (const [by, isFoldedIn] of [
      ['implicit, vectors of people at hand', false],
      ['implicit, vectors of people from their histories', true],
    ])
      if (peers?.about.implicit)
        rows.push(
          rowOf(by, (await timeImplicit(peers, dataset.ratings, published.model, isFoldedIn)) / 1000),
        );
    printTable(
      `lists of ${shape.k} for ${shape.people} people among ${shape.items} items (rank ${published.model.rank})`,
      rows,
    );
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs Node and gives its processor seconds, threads included, which it writes down when it ends. */
function run(program, args, environment, usage) {
  const noting = `import { isMainThread } from 'node:worker_threads'; import { writeFileSync } from 'node:fs';
    if (isMainThread) process.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.cpuUsage())));`;
  const { status, stderr } = spawnSync(
    program,
    ['--import', `data:text/javascript,${encodeURIComponent(noting)}`, ...args],
    { env: environment, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`hushrec ${args[1]}: ${stderr}`);
  const { user, system } = JSON.parse(readFileSync(usage, 'utf8'));
  return (user + system) / 1e6;
}

/**
 * `recommend_all` on a frame in the memory of Python; undefined, with the reason printed, without a wheel.
 */
async function pythonPackage(python, folder, environment) {
  const installed = join(folder, 'installed');
  const { wheel, why } = await packWheel(join(folder, 'wheel'), python);
  if (why !== undefined) {
    console.log(`No Python package: ${why}.`);
    return undefined;
  }
  mkdirSync(installed);
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', installed, wheel];
  const { status, stderr } = spawnSync(python, pip, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const script = join(folder, 'recommend-all.py');
  writeFileSync(script, recommendAllScript);
  return () => {
    const result = spawnSync(python, [script, folder, String(shape.k)], {
      env: { ...environment, PYTHONPATH: installed },
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(result.stderr);
    return Number(result.stdout);
  };
}

/** The frame is made first; the call alone is timed, with the processes that it starts. */
const recommendAllScript = `
import csv, resource, sys
import hushrec
folder, k = sys.argv[1], int(sys.argv[2])
try:
    import pandas
    frame = pandas.read_csv(folder + "/shop.csv")
except ImportError:
    with open(folder + "/shop.csv", newline="") as file:
        names, *rows = csv.reader(file)
    frame = dict(zip(names, zip(*rows)))
def used():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
with hushrec.Model(folder + "/model") as model:
    started = used()
    lists = model.recommend_all(frame, k=k)
    seconds = used() - started
assert len(lists["rank"]) == k * len(set(frame["user"]))
print(seconds)
`;

async function timeImplicit(peers, { byUser, itemCount }, model, isFoldedIn) {
  peers.write('offsets.u32', byUser.offsets);
  peers.write('indices.u32', byUser.indices);
  peers.write('lists-items.f32', model.itemFactors);
  const { folder } = peers;
  return peers.time('implicitLists', { folder, items: itemCount, d: model.rank, k: shape.k, isFoldedIn });
}
