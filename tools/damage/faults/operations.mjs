// Every durable operation: what is there before, what it does, what must hold afterwards whatever call
// failed, and the next command. `told` collects what the operation said was done before it ended; `isDone`
// whether it said that all of it was.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger, readMark } from '@hushrec/ledger';
import { metricsBeside, readModelFolder, writeMetrics } from '@hushrec/model/folder';
import { faultInMetrics } from '@hushrec/model/making';
import { openDataset } from '@hushrec/ratings';
import { openRunStore } from '@hushrec/server';
import { federateOperations } from './federate-operations.mjs';
import { hushrec } from './hushrec-command.mjs';

const ratings = (weeks) =>
  `user,item,rating\n${Array.from({ length: 12 * weeks }, (_, k) => `u${k % (6 * weeks)},i${(5 * k) % 7},${1 + (k % 5)}`).join('\n')}\n`;
/** Ratings lie outside of the root: reading them is not what fails here. */
function ratingsFile(root, weeks) {
  const file = join(root, '..', `week-${weeks}.csv`);
  if (!existsSync(file)) writeFileSync(file, ratings(weeks));
  return file;
}

const set = (root) => join(root, 'set');
const importing = (root, weeks, ...flags) =>
  hushrec(root, 'import', ratingsFile(root, weeks), set(root), '--scale', '1:5:1', ...flags);
const granting = (root, epsilon) =>
  hushrec(root, 'ledger', 'grant', set(root), '--epsilon', String(epsilon), '--delta', '1e-5');
const training = (root, ...flags) =>
  hushrec(
    root,
    ...['train', set(root), '--method', 'dpals', '--epsilon', '1', '--delta', '1e-6', '--set', 'rank=2'],
    ...['--threads', '1', '--accept-weak', '--out', join(root, 'model'), ...flags],
  );

const refreshing = (root) =>
  hushrec(
    root,
    ...['refresh', set(root), '--from', ratingsFile(root, 2), '--append', '--threads', '1'],
    ...['--model', join(root, 'model')],
  );

/** How many people a data set has: which of the files it was made from. 0: there is none. */
async function peopleIn(root) {
  try {
    return (await openDataset(set(root))).manifest.people;
  } catch (error) {
    assert.equal(error.kind, 'data', error.message);
    return 0;
  }
}

async function entriesOf(root) {
  const ledger = await openLedger(join(root, 'ledger.sqlite'));
  try {
    await ledger.check();
    return await ledger.entries();
  } finally {
    await ledger.close();
  }
}

/** A data set's mark never names an entry that the ledger does not hold. */
async function checkMark(root) {
  const mark = await readMark(set(root));
  if (mark === undefined) return;
  const entries = await entriesOf(root);
  assert.equal(entries[mark.number - 1]?.hash, mark.hash, 'the mark is ahead of the ledger');
}

/** A ledger, and the first import of a data set into it. */
async function begin(root) {
  await makeLedger(root);
  await importing(root, 1);
}

const makeLedger = async (root) => (await openLedger(join(root, 'ledger.sqlite'), { create: true })).close();

/** An import that ends in `after` people where there were `before`. */
const importOperation = (name, before, after, run) => ({
  name,
  async prepare(root) {
    if (before === 0) return makeLedger(root);
    await begin(root);
    await granting(root, 5);
  },
  run,
  async check(root, { isDone }) {
    const people = await peopleIn(root);
    if (isDone) assert.equal(people, after, 'it said that it was done');
    // Between two renames nothing is under the name; the next import puts the old one back.
    assert.ok([0, before, after].includes(people), `${people} people`);
    if (people > 0) await checkMark(root);
  },
  async again(root) {
    const { account } = before === 0 ? {} : { account: (await entriesOf(root))[0].account };
    await importing(root, 1, '--overwrite').catch((error) => {
      throw new Error(`import --overwrite: ${error.message}`);
    });
    const { manifest } = await openDataset(set(root));
    assert.equal(manifest.people, 6);
    if (account !== undefined) assert.equal(manifest.account.id, account, 'another account');
    await granting(root, 5);
  },
});

/** Models that are there were paid for, and the same command again ends in one. */
async function checkPaid(root, { isDone }) {
  const spends = (await entriesOf(root)).filter(({ event }) => event.kind === 'spend');
  const model = await readModelFolder(join(root, 'model')).catch((error) => {
    assert.equal(error.kind, 'data', error.message);
    return undefined;
  });
  if (isDone) assert.ok(model, 'it said that the model was written');
  if (model) {
    const { ledgerEntry } = model.certificate;
    assert.ok(
      spends.some(({ hash }) => hash === ledgerEntry),
      'a model that was not paid for',
    );
  }
  await checkMark(root);
}

const trainOperation = (name, isThere, ...flags) => ({
  name,
  async prepare(root) {
    await begin(root);
    await granting(root, 50);
    if (isThere) await training(root);
  },
  run: (root) => training(root, ...flags),
  check: checkPaid,
  async again(root) {
    const isMade = existsSync(join(root, 'model', 'certificate.json'));
    // As the message of a failed run says; where there is a model and no key beside it, nothing is left to
    // resume.
    await training(root, ...flags, '--resume', ...(isMade ? ['--overwrite'] : []));
    await checkPaid(root, { isDone: true });
    const spends = (await entriesOf(root)).filter(({ event }) => event.kind === 'spend');
    assert.ok(spends.length <= (isThere ? 3 : 2), `${spends.length} charges`);
    await hushrec(root, 'verify', join(root, 'model'));
    assert.ok(!existsSync(join(root, 'model.noise-key')), 'the secret is still there');
  },
});

const run = (k, status = 'queued') => ({
  id: `run ${k}`,
  request: { dataset: 'x', method: 'als', settings: {}, model: `m${k}` },
  status,
  createdAt: `2026-01-0${k + 1}T00:00:00.000Z`,
  error: 'x'.repeat(3000),
});

/**
 * A week's ratings, appended and learned from: the model is never behind the data without the next one
 * knowing.
 */
const refreshOperation = {
  name: 'refresh',
  async prepare(root) {
    await begin(root);
    await granting(root, 50);
    await training(root);
  },
  run: (root) => refreshing(root),
  async check(root, { isDone }) {
    const people = await peopleIn(root);
    assert.ok(isDone ? people === 12 : [0, 6, 12].includes(people), `${people} people`);
    if (people > 0) await checkPaid(root, { isDone });
  },
  async again(root) {
    // Between two renames nothing is under the name of the data set; whoever opens it puts the old one back.
    await peopleIn(root);
    const before = await readModelFolder(join(root, 'model')).catch(() => undefined);
    const text = await refreshing(root);
    const { certificate } = await readModelFolder(join(root, 'model'));
    assert.equal(await peopleIn(root), 12);
    const spends = (await entriesOf(root)).filter(({ event }) => event.kind === 'spend');
    if (/Nothing is new/.test(text)) {
      assert.equal(certificate.ledgerEntry, before?.certificate.ledgerEntry);
      assert.equal(
        spends.findIndex(({ hash }) => hash === certificate.ledgerEntry) > 0,
        true,
        'an old model',
      );
    }
    await checkPaid(root, { isDone: true });
  },
};

const comparing = (root, repeats) =>
  hushrec(
    root,
    ...['compare', set(root), '--methods', 'popularity', '--epsilons', '1', '--repeats', String(repeats)],
    ...['--goal', 'stars', '--threads', '1', '--out', join(root, 'reports', 'one')],
  );

const compareOperation = {
  name: 'compare',
  async prepare(root) {
    await begin(root);
    await comparing(root, 1);
  },
  run: (root) => comparing(root, 2),
  async check(root, { isDone }) {
    const file = (name) => readFileSync(join(root, 'reports', 'one', name), 'utf8');
    const { cells } = JSON.parse(file('comparison.json'));
    assert.ok(cells.length > 0, 'no cells');
    assert.match(file('report.html'), /^<!doctype html>.*<\/html>\s*$/is);
    const lines = file('rows.csv').trim().split('\n');
    assert.ok(
      lines.every((line) => line.split(',').length === lines[0].split(',').length),
      'a row was cut off',
    );
    const [{ runs }] = JSON.parse(file('comparison.json')).rows;
    assert.ok(isDone ? runs === 2 : [1, 2].includes(runs), `${runs} runs`);
  },
  again: (root) => comparing(root, 2),
};

export const operations = [
  importOperation('import', 0, 6, (root) => importing(root, 1)),
  importOperation('import --overwrite', 6, 12, (root) => importing(root, 2, '--overwrite')),
  importOperation('import --append', 6, 12, (root) => importing(root, 2, '--append')),
  {
    name: 'ledger grant',
    async prepare(root) {
      await begin(root);
      await granting(root, 1);
    },
    run: (root) => granting(root, 2),
    async check(root, { isDone }) {
      const grants = (await entriesOf(root)).filter(({ event }) => event.kind === 'grant');
      const { epsilon } = grants.at(-1).event;
      assert.ok(isDone ? epsilon === 2 : [1, 2].includes(epsilon), `ε ${epsilon}`);
      await checkMark(root);
    },
    async again(root) {
      await hushrec(root, 'ledger', 'show', set(root));
      await granting(root, 3);
      assert.equal((await entriesOf(root)).at(-1).event.epsilon, 3);
    },
  },
  {
    name: 'a new ledger',
    prepare: async () => {},
    run: async (root) => (await openLedger(join(root, 'state', 'ledger.sqlite'), { create: true })).close(),
    async check(root, { isDone }) {
      const file = join(root, 'state', 'ledger.sqlite');
      if (isDone) assert.ok(existsSync(file), 'it said that it was made');
      if (existsSync(file)) await (await openLedger(file)).close();
    },
    again: async (root) => (await openLedger(join(root, 'state', 'ledger.sqlite'), { create: true })).close(),
  },
  trainOperation('train', false),
  trainOperation('train --with-releases', false, '--with-releases'),
  trainOperation('train --overwrite', true, '--overwrite'),
  {
    name: 'metrics',
    async prepare(root) {
      await begin(root);
      await training(root);
      await writeMetrics(join(root, 'model'), { rmse: 1 });
    },
    run: (root) => writeMetrics(join(root, 'model'), { rmse: 2 }),
    async check(root, { isDone }) {
      const { certificate } = await readModelFolder(join(root, 'model'));
      const bytes = readFileSync(metricsBeside(join(root, 'model')));
      assert.equal(await faultInMetrics(bytes, certificate.hash), undefined);
      const { rmse } = JSON.parse(bytes.toString()).metrics;
      assert.ok(isDone ? rmse === 2 : [1, 2].includes(rmse), `rmse ${rmse}`);
    },
    async again(root) {
      await writeMetrics(join(root, 'model'), { rmse: 3 });
    },
  },
  {
    name: 'server state',
    async prepare(root) {
      const store = await openRunStore(join(root, 'state.sqlite'));
      await store.put(run(0));
      await store.close();
    },
    async run(root, told) {
      const store = await openRunStore(join(root, 'state.sqlite'));
      try {
        for (const each of [run(1), run(0, 'done'), run(2)]) {
          await store.put(each);
          told.push(each);
        }
      } finally {
        await store.close();
      }
    },
    async check(root, { told }) {
      const store = await openRunStore(join(root, 'state.sqlite'));
      try {
        const found = new Map((await store.list(10)).map((each) => [each.id, each.status]));
        assert.ok(found.has('run 0'), 'a run is gone');
        for (const { id, status } of told) assert.equal(found.get(id), status, id);
      } finally {
        await store.close();
      }
    },
    async again(root) {
      const store = await openRunStore(join(root, 'state.sqlite'));
      await store.put(run(3));
      assert.equal((await store.get('run 3')).id, 'run 3');
      await store.close();
    },
  },
  refreshOperation,
  compareOperation,
  ...federateOperations,
];
