// `npm run bench --
// [kernels|peak|ials|threads|sweep|growth|import|replay|hush|lists|people|ledger|browser|large|spark] …
// [--rounds N] [--python FILE] [--ratings N,…] [--only TEXT]`: times what training is made of. Without names:
// kernels, ials, threads, sweep, growth, import, replay, hush and browser. `large` needs 6 GiB of disk and
// memory and some minutes, `spark` Java and pyspark. `--only` takes the kernels, or the data sets of
// `people`, whose name contains the text.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    python: { type: 'string', default: 'python3' },
    ratings: { type: 'string', default: '10000000' },
    only: { type: 'string' },
  },
});

// Node 20 knows relaxed SIMD but keeps it behind a flag; later versions have it on. A flag must be there from
// the start.
const flag = '--experimental-wasm-relaxed-simd';
if (Number(process.versions.node.split('.')[0]) < 22 && !process.execArgv.includes(flag)) {
  const { status } = spawnSync(process.execPath, [flag, ...process.argv.slice(1)], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
if (!existsSync(new URL('../packages/numerics/dist/index.js', import.meta.url))) {
  spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
}

/** Every benchmark by name; `setting` is what was asked for on the command line. */
const benchmarks = {
  kernels: async ({ enough, builds, only, openPeers }) =>
    (await import('./kernel-benchmarks.mjs')).benchmarkKernels({
      peers: await openPeers(),
      rounds: enough,
      builds,
      only,
    }),
  ials: async ({ rounds, builds, openPeers }) =>
    (await import('./ials.mjs')).benchmarkIals({
      peers: await openPeers(),
      rounds,
      builds,
      data: process.env.HUSHREC_DATA,
    }),
  peak: async ({ enough, builds }) => (await import('./peak.mjs')).benchmarkPeak({ rounds: enough, builds }),
  threads: async ({ rounds }) => (await import('./thread-benchmarks.mjs')).benchmarkThreads({ rounds }),
  sweep: async () => (await import('./private-sweep.mjs')).benchmarkSweep(),
  growth: async ({ folder }) => (await import('./growth.mjs')).benchmarkGrowth({ folder }),
  import: async ({ rounds }) => (await import('./import.mjs')).benchmarkImport({ rounds }),
  replay: async ({ rounds }) => (await import('./replay.mjs')).benchmarkReplay({ rounds }),
  hush: async ({ rounds }) => (await import('./hush.mjs')).benchmarkHush({ rounds }),
  lists: async ({ rounds, python, openPeers }) =>
    (await import('./lists.mjs')).benchmarkLists({ peers: await openPeers(), python, rounds }),
  people: async ({ only }) => (await import('./hush.mjs')).benchmarkPeopleMethods({ only }),
  ledger: async () => (await import('./ledger.mjs')).ledgerBenchmark(),
  browser: async ({ enough }) => (await import('./browser.mjs')).benchmarkBrowser({ rounds: enough }),
  large: async () => (await import('./large.mjs')).benchmarkLarge(),
  spark: async ({ ratings }) => (await import('./spark.mjs')).benchmarkSpark({ ratings }),
};
const usual = ['kernels', 'ials', 'threads', 'sweep', 'growth', 'import', 'replay', 'hush', 'browser'];
const parts = positionals.length > 0 ? positionals : usual;
const known = Object.keys(benchmarks);
const unknown = parts.filter((part) => !known.includes(part));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  process.exit(2);
}
const machine = {
  date: new Date().toISOString(),
  node: process.versions.node,
  v8: process.versions.v8,
  processor: cpus()[0]?.model,
  cores: cpus().length,
};
console.log(`Node ${machine.node} on ${machine.processor}, ${machine.cores} cores`);
const results = { machine };
const folder = new URL('results/', import.meta.url);
mkdirSync(folder, { recursive: true });
const store = () =>
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(results, undefined, 2)}\n`);

/** One Python for all that compare with it. */
let peers;
const rounds = Number(options.rounds);
const setting = {
  rounds,
  /** For what takes less than a second. */
  enough: Math.max(rounds, 10),
  builds: ['simd', 'relaxed-simd'],
  only: options.only,
  python: options.python,
  ratings: options.ratings.split(',').map(Number),
  folder,
  openPeers() {
    peers ??= import('./peers.mjs').then(({ openPeers }) => openPeers(options.python));
    return peers;
  },
};
for (const part of known.filter((name) => parts.includes(name))) {
  results[part] = await benchmarks[part](setting);
  results.peers ??= (await peers)?.about;
  store();
}
(await peers)?.close();
const { compareWithAims } = await import('./aims.mjs');
results.aims = compareWithAims(results);
store();
console.log(`\nStored in ${fileURLToPath(new URL('latest.json', folder))}`);
