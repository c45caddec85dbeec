// npm run kills:work [-- --count 1000] [--only importing,publishing,spending,serving,training] [--seed 1]
// Kills work with SIGKILL at random moments, so many times each, and looks at what is there afterwards:
// nothing that was told is lost, nothing is there twice, and the next start works. Servers run as process 1
// of a namespace of their own where the system allows it, as in a container. Exit code 1 when anything was
// wrong.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openLedger } from '@hushrec/ledger';
import { verifyPublished } from '@hushrec/model';
import { readModelFiles, readModelFolder } from '@hushrec/model/folder';
import { importSource, openDataset } from '@hushrec/ratings';
import { writeSampleDataset } from '../../apps/server/dist/testing/sample-models.test.data.js';
import { writeScriptedCommandLine } from '../../apps/server/dist/testing/scripted-command-line.test.data.js';
import { clearLeftOvers } from '../../packages/train/dist/publish/write-folder.js';
import { randomOf } from '../fuzz/random.mjs';
import { ratingsFile, scale } from './content.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'importing,publishing,spending,serving,training' },
    seed: { type: 'string', default: '1' },
  },
});
const count = Number(values.count);
const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
const server = fileURLToPath(
  new URL('../../apps/server/dist/testing/serve-forever.test.data.js', import.meta.url),
);
const asProcessOne = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child=KILL'];
const hasNamespaces = spawnSync(asProcessOne[0], [...asProcessOne.slice(1), 'true']).status === 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const ended = (child) => new Promise((resolve) => child.once('close', resolve));

/** Starts the work, kills it a moment after its first word (training says none), and gives what it told. */
async function killed(args, random, mostMs) {
  const child = spawn(process.execPath, [worker, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const told = [];
  let words = '';
  child.stderr.on('data', (text) => (words = (words + text).slice(-500)));
  const first = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      told.push(line);
      resolve();
    });
  });
  const end = ended(child);
  if (args[0] !== 'training') await Promise.race([first, end]);
  await Promise.race([end, pause(random.below(mostMs))]);
  child.kill('SIGKILL');
  const code = await end;
  if (code !== null && code !== 0) throw new Error(`it failed by itself (${code}): ${words}`);
  return { told, wasKilled: code === null };
}

const targets = {
  async importing(folder, random, round) {
    await killed(['importing', folder, String(round)], random, 150);
    const { manifest } = await openDataset(join(folder, 'set'));
    if (![3000, 4000].includes(manifest.ratings + manifest.provenance.duplicates))
      return 'neither the old nor the new data set';
    this.account ??= manifest.account.id;
    return manifest.account.id === this.account ? undefined : 'another account';
  },
  async publishing(folder, random) {
    await killed(['publishing', folder, '0'], random, 150);
    await clearLeftOvers(join(folder, 'model'));
    const { model } = await readModelFolder(join(folder, 'model'));
    return [1, 2].includes(model.offset) ? undefined : 'neither the old nor the new model';
  },
  async spending(folder, random, round) {
    const { told } = await killed(['spending', folder, String(round)], random, 150);
    const ledger = await openLedger(join(folder, 'ledger.sqlite'));
    try {
      const spends = (await ledger.entries()).filter(({ event }) => event.kind === 'spend');
      await ledger.check();
      const known = new Set(spends.map(({ hash }) => hash));
      this.told = (this.told ?? 0) + told.length;
      this.unsaid = (this.unsaid ?? 0) + 1;
      if (told.some((entry) => !known.has(entry))) return 'a spend that was told is lost';
      // Each kill may fall between a spend and the word of it.
      return spends.length > this.told + this.unsaid ? 'more was spent than was asked for' : undefined;
    } finally {
      await ledger.close();
    }
  },
  async serving(folder, random, round) {
    const prefix = hasNamespaces ? asProcessOne : [];
    const [command, ...args] = [...prefix, process.execPath, server, folder, join(folder, 'state.sqlite')];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    child.stderr.on('data', (text) => (words += text));
    const end = ended(child);
    const line = await Promise.race([
      new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
      end,
    ]);
    if (typeof line !== 'string') return `it did not start again: ${words.slice(0, 200)}`;
    const { url, token } = JSON.parse(line);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    this.acknowledged ??= [];
    const { runs } = await (await fetch(`${url}/api/runs?limit=500`, { headers })).json();
    const known = new Map(runs.map(({ id, status }) => [id, status]));
    const lost = this.acknowledged.slice(-400).filter((id) => known.get(id) !== 'interrupted');
    let isWriting = true;
    const writing = (async () => {
      for (let k = 0; isWriting; k++) {
        const body = JSON.stringify({
          dataset: 'sample',
          method: 'als',
          settings: {},
          model: `slow-${round}-${k}`,
        });
        const response = await fetch(`${url}/api/runs`, { method: 'POST', headers, body });
        if (response.status === 201) this.acknowledged.push((await response.json()).id);
        else await pause(20);
      }
    })().catch(() => {});
    await pause(random.below(150));
    isWriting = false;
    child.kill('SIGKILL');
    await end;
    await writing;
    return lost.length === 0
      ? undefined
      : `${lost.length} acknowledged runs were lost or are not interrupted`;
  },
  async training(folder, random, round) {
    if (!existsSync(join(folder, 'set'))) {
      await importSource(ratingsFile(folder, 0), join(folder, 'set'), { scale });
      const { account: own } = (await openDataset(join(folder, 'set'))).manifest;
      const ledger = await openLedger(join(folder, 'ledger.sqlite'), { create: true });
      await ledger.grant(own.id, {
        epsilon: 1e5,
        delta: 1e-5,
        protection: { unit: 'user', relation: 'add-remove' },
      });
      await ledger.close();
    }
    const out = join(folder, `model-${round}`);
    let { wasKilled } = await killed(['training', folder, String(round)], random, 4000);
    // A kill after the folder was put in its place has nothing left to finish.
    while (wasKilled && !existsSync(out))
      ({ wasKilled } = await killed(['training', folder, String(round)], { below: () => 60_000 }, 60_000));
    const { ok, checks } = await verifyPublished(await readModelFiles(out));
    if (!ok) return `the model does not verify: ${JSON.stringify(checks.filter((check) => !check.ok))}`;
    const { account: own } = (await openDataset(join(folder, 'set'))).manifest;
    const ledger = await openLedger(join(folder, 'ledger.sqlite'));
    const spends = (await ledger.entries()).filter(
      ({ event, account: who }) => event.kind === 'spend' && who === own.id,
    );
    await ledger.close();
    rmSync(out, { recursive: true });
    this.paid = (this.paid ?? 0) + 1;
    return spends.length === this.paid ? undefined : `${spends.length} charges for ${this.paid} runs`;
  },
};

let faults = 0;
for (const name of values.only.split(',')) {
  const folder = mkdtempSync(join(tmpdir(), `hushrec-kills-${name}-`));
  mkdirSync(join(folder, 'models'));
  writeSampleDataset(join(folder, 'data'));
  writeScriptedCommandLine(folder);
  const began = Date.now();
  let wrong = 0;
  for (let round = 0; round < count; round++) {
    const fault = await targets[name](folder, randomOf(Number(values.seed), round), round).catch(
      (error) => `${error.name}: ${error.message}`,
    );
    if (fault === undefined) continue;
    wrong++;
    if (wrong <= 5) console.log(`  ${name}, kill ${round} of seed ${values.seed}: ${fault}`);
  }
  faults += wrong;
  const how =
    name === 'serving'
      ? hasNamespaces
        ? ', each as process 1'
        : ', not as process 1: no namespaces here'
      : '';
  console.log(
    `${name}: ${count} kills${how}, ${wrong} faults, ${((Date.now() - began) / 1000).toFixed(0)} s`,
  );
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;
