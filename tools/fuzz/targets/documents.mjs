// Small files beside models and data sets: the mark of a ledger, the secret of a run, metrics, a log of
// releases, tokens, results of a comparison, a person's history, a table of items. Every bit of each is
// flipped in turn, then they are damaged at random. What carries a check sum, or is checked against something
// that does, is refused or unchanged; the others (tokens, comparisons, histories, tables) are read as they
// are or refused by name.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileRunStore } from '@hushrec/evaluate';
import { openLedger } from '@hushrec/ledger';
import { encodeMetrics, faultInMetrics } from '@hushrec/model';
import { importSource } from '@hushrec/ratings';
import { parseHistory } from '../../../apps/cli/dist/history-file.js';
import { readComparisons } from '../../../apps/server/dist/catalogue/comparisons.js';
import { readTokenFile } from '../../../apps/server/dist/protection/access.js';
import { createReleaseLog, readReleaseLog } from '../../../packages/train/dist/replay/release-log.js';
import { secretFileOf, secretFor } from '../../../packages/train/dist/secret-file.js';
import { mutated } from '../mutate.mjs';

const account = 'a'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' };
const certificate = 'c'.repeat(64);
const known = (error) => ['data', 'usage', 'privacy'].includes(error.kind) || error.exitCode > 1;

/**
 * Each: its bytes, and what a reader makes of others in their place: undefined where it noticed nothing
 * wrong.
 */
async function samplesIn(folder) {
  const at = (name) => join(folder, name);
  const put = (name) => (bytes) => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), bytes);
  };
  const sample = (name, isChecked, read) => ({
    name,
    isChecked,
    bytes: readFileSync(at(name)),
    read: async (bytes) => {
      put(name)(bytes);
      return JSON.stringify(await read());
    },
  });
  mkdirSync(at('set'), { recursive: true });
  const ledger = await openLedger(at('ledger.sqlite'), { create: true, markIn: at('set') });
  for (const epsilon of [1, 2, 3]) await ledger.grant(account, { epsilon, delta: 1e-5, protection });
  await ledger.close();
  await secretFor(at('model'), 'job', false);
  put('metrics.json')(await encodeMetrics(certificate, { rmse: 0.9, list: [1, 2] }));
  const log = await createReleaseLog(at('releases'));
  await log.write({ name: 'item counts', part: 0 }, { kind: 'numbers', values: Float64Array.of(1, 2, 3) });
  await log.write({ name: 'bits', part: 1 }, { kind: 'bits', values: Uint8Array.of(0, 1) });
  await log.write(
    { name: 'cells', part: 0 },
    { kind: 'cells', columns: Uint32Array.of(4), values: Float64Array.of(5) },
  );
  await log.close();
  put('tokens')('# ours\noperator abcdefghijklmnopqrst\nviewer 0123456789abcdefghij\n');
  put('reports/comparison.json')(
    '{"title":"T","rows":[{"method":"a","metric":"rmse","mean":0.9}],"cells":[{"method":"a","slices":[{"rmse":1}]}]}',
  );
  put('history.csv')('item,rating\ni0,5\ni1,0.5\n');
  put('history.json')('[{"id":"i0","rating":5},{"id":"i1","rating":1}]');
  put('items.csv')('item,title,genre\ni0,"A, B",x|y\ni1,C,x\n');
  writeFileSync(at('ratings.csv'), 'user,item,rating\na,i0,5\na,i1,4\nb,i0,3\n');
  const key = { method: 'a', seed: 1 };
  await fileRunStore(at('runs.jsonl')).add(key, { rmse: 0.9 });
  const scale = { min: 1, max: 5, step: 1 };
  return [
    sample('set/ledger-mark.json', true, async () => {
      const opened = await openLedger(at('ledger.sqlite'), { markIn: at('set') });
      await opened.close();
      return 'the ledger is believed';
    }),
    sample(secretFileOf('model'), true, async () => {
      const { bytes, resumed } = await secretFor(at('model'), 'job', true);
      return [...bytes, resumed];
    }),
    sample('metrics.json', true, async () => {
      const fault = await faultInMetrics(readFileSync(at('metrics.json')), certificate);
      if (fault !== undefined) throw Object.assign(new Error(fault), { kind: 'data' });
      return 'whole';
    }),
    // Its hash is in the certificate; alone, it is read to its end or refused at a byte.
    sample('releases', false, async () => [...readReleaseLog(readFileSync(at('releases')))].length),
    sample('tokens', false, async () => readTokenFile(at('tokens')).tokens.length),
    sample('reports/comparison.json', false, () => readComparisons(at('reports'))),
    ...['history.csv', 'history.json'].map((name) =>
      sample(name, false, async () =>
        parseHistory(readFileSync(at(name), 'utf8'), at(name), new Set(['i0', 'i1'])),
      ),
    ),
    sample('items.csv', false, async () => {
      rmSync(at('imported'), { recursive: true, force: true });
      return importSource(at('ratings.csv'), at('imported'), { scale, items: at('items.csv') });
    }),
    sample('runs.jsonl', true, async () => {
      const found = fileRunStore(at('runs.jsonl')).find(key);
      if (found === undefined) throw Object.assign(new Error('done again'), { kind: 'data' });
      return found;
    }),
  ];
}

export async function prepare(folder) {
  const samples = await samplesIn(folder);
  for (const each of samples) each.whole = await each.read(each.bytes);
  return {
    attempt: async (random, number) => {
      const { name, bytes, whole, isChecked, read } = samples[number % samples.length];
      const bit = Math.floor(number / samples.length);
      let damaged = Buffer.from(bytes);
      if (bit < 8 * bytes.length) damaged[bit >> 3] ^= 1 << (bit & 7);
      else damaged = mutated(bytes, random);
      try {
        const found = await read(damaged);
        if (!isChecked) return 'read, without a check sum of its own';
        return found === whole ? 'unchanged' : `! accepted damage of ${name}`;
      } catch (error) {
        return known(error) ? 'refused' : `! raw ${error.name}: ${error.message} (${name}, bit ${bit})`;
      } finally {
        await read(bytes).catch(() => {});
      }
    },
  };
}
