// CPU seconds and peak memory of importing a generated CSV file and of opening the result, each in a process of its
// own: node packages/ratings/benchmark/import.mjs [ratings] [users] [items]      (10,000,000, 70,000 and 10,000)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportCsv, generateCatalogue, importSource, openDataset } from '../dist/index.js';

const [step, ...rest] = process.argv.slice(2);
const scale = { min: 0.5, max: 5, step: 0.5 };

function report(what, detail = {}) {
  const { user, system } = process.cpuUsage();
  const cpuSeconds = Number(((user + system) / 1e6).toFixed(2));
  const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ what, cpuSeconds, peakMegabytes, ...detail }));
}

if (step === 'generate') {
  const [ratings, users, items] = rest.slice(1).map(Number);
  await exportCsv(rest[0], generateCatalogue({ users, items, ratings, seed: 1 }));
  report('generate and export', { megabytes: Math.round(statSync(rest[0]).size / 1e6) });
} else if (step === 'import') {
  const { ratings, reader } = await importSource(rest[0], rest[1], {
    scale,
    reader: rest[2],
    overwrite: true,
  });
  report('import', { ratings, reader });
} else if (step === 'open') {
  const { manifest } = await openDataset(rest[0]);
  report('open', { ratings: manifest.ratings });
} else {
  const [ratings = '10000000', users = '70000', items = '10000'] = process.argv.slice(2);
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-benchmark-'));
  const run = (...args) => {
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  };
  const csv = join(folder, 'ratings.csv');
  const set = join(folder, 'set');
  run('generate', csv, ratings, users, items);
  if (existsSync(csv)) {
    run('import', csv, set, 'auto');
    run('import', csv, set, 'typescript');
    run('open', set);
  }
  rmSync(folder, { recursive: true, force: true });
}
