// `npm run bench --
// [kernels|peak|ials|threads|sweep|growth|import|replay|hush|people|ledger|browser|large|spark] … [--rounds
// N] [--python FILE] [--ratings N,…] [--only TEXT]`: times what training is made of. Without names: kernels,
// ials, threads, sweep, growth, replay, hush and browser. `large` needs 6 GiB of disk and memory and some
// minutes, `spark` Java and pyspark. `--only` takes the kernels, or the data sets of `people`, whose name
// contains the text.
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

const parts =
  positionals.length > 0
    ? positionals
    : ['kernels', 'ials', 'threads', 'sweep', 'growth', 'replay', 'hush', 'browser'];
const known =
  `kernels peak ials threads sweep growth import replay hush people ledger browser large spark`.split(' ');
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
const rounds = Number(options.rounds);
/** For what takes less than a second. */
const enough = Math.max(rounds, 10);
const folder = new URL('results/', import.meta.url);
mkdirSync(folder, { recursive: true });
const store = () =>
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(results, undefined, 2)}\n`);

const builds = ['simd', 'relaxed-simd'];
if (parts.includes('kernels') || parts.includes('ials')) {
  const { openPeers } = await import('./peers.mjs');
  const peers = await openPeers(options.python);
  results.peers = peers?.about;
  if (parts.includes('kernels')) {
    const { benchmarkKernels } = await import('./kernel-benchmarks.mjs');
    results.kernels = await benchmarkKernels({ peers, rounds: enough, builds, only: options.only });
    store();
  }
  if (parts.includes('ials')) {
    const { benchmarkIals } = await import('./ials.mjs');
    results.ials = await benchmarkIals({ peers, rounds, builds, data: process.env.HUSHREC_DATA });
    store();
  }
  peers?.close();
}
if (parts.includes('peak')) {
  const { benchmarkPeak } = await import('./peak.mjs');
  results.peak = await benchmarkPeak({ rounds: enough, builds });
  store();
}
if (parts.includes('threads')) {
  const { benchmarkThreads } = await import('./thread-benchmarks.mjs');
  results.threads = await benchmarkThreads({ rounds });
  store();
}
if (parts.includes('sweep')) {
  const { benchmarkSweep } = await import('./private-sweep.mjs');
  results.sweep = await benchmarkSweep();
  store();
}
if (parts.includes('growth')) {
  const { benchmarkGrowth } = await import('./growth.mjs');
  results.growth = await benchmarkGrowth({ folder });
  store();
}
if (parts.includes('import')) {
  const { benchmarkImport } = await import('./import.mjs');
  results.import = await benchmarkImport({ rounds });
  store();
}
if (parts.includes('replay')) {
  const { benchmarkReplay } = await import('./replay.mjs');
  results.replay = await benchmarkReplay({ rounds });
  store();
}
if (parts.includes('hush')) {
  const { benchmarkHush } = await import('./hush.mjs');
  results.hush = await benchmarkHush({ rounds });
  store();
}
if (parts.includes('people')) {
  const { benchmarkPeopleMethods } = await import('./hush.mjs');
  results.people = await benchmarkPeopleMethods({ only: options.only });
  store();
}
if (parts.includes('ledger')) {
  const { ledgerBenchmark } = await import('./ledger.mjs');
  results.ledger = await ledgerBenchmark();
  store();
}
if (parts.includes('browser')) {
  const { benchmarkBrowser } = await import('./browser.mjs');
  results.browser = await benchmarkBrowser({ rounds: enough });
  store();
}
if (parts.includes('large')) {
  const { benchmarkLarge } = await import('./large.mjs');
  results.large = await benchmarkLarge();
  store();
}
if (parts.includes('spark')) {
  const { benchmarkSpark } = await import('./spark.mjs');
  results.spark = await benchmarkSpark({ ratings: options.ratings.split(',').map(Number) });
}
const { compareWithAims } = await import('./aims.mjs');
results.aims = compareWithAims(results);
store();
console.log(`\nStored in ${fileURLToPath(new URL('latest.json', folder))}`);
