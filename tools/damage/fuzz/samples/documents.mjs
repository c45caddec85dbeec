// Small files beside models and data sets, and of both: the mark of a ledger, the secret of a run, metrics, a
// log of releases, tokens, results of a comparison, a person's history, a table of items, every file of a
// model and of a data set, a charter.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileOutcomeStore } from '@hushrec/evaluate';
import { openLedger } from '@hushrec/ledger';
import { decodePublished } from '@hushrec/model';
import { encodeMetrics, faultInMetrics } from '@hushrec/model/making';
import { canonicalJson } from '@hushrec/model/signing';
import { importSource, openDataset } from '@hushrec/ratings';
import { parseHistory } from '../../../../apps/cli/dist/history-file.js';
import { readComparisons } from '../../../../apps/server/dist/catalogue/comparisons.js';
import { readTokenFile } from '../../../../apps/server/dist/protection/access.js';
import { encodePublished } from '../../../../packages/train/dist/publish/encode-published.js';
import { createReleaseLog, readReleaseLog } from '../../../../packages/train/dist/replay/release-log.js';
import { secretFileOf, secretFor } from '../../../../packages/train/dist/secret-file.js';
import { sampleStatement } from '../../../sample-certificate.mjs';
import { signedCharter } from './charter.mjs';

const account = 'a'.repeat(32);
const protection = { unit: 'user', relation: 'add-remove' };
const certificate = 'c'.repeat(64);
const outcomeKey = { method: 'a', seed: 1 };
const scale = { min: 1, max: 5, step: 1 };
const asText = (value) =>
  JSON.stringify(value, (_, each) => (ArrayBuffer.isView(each) ? Array.from(each, String) : each));

/**
 * Each: its bytes, whether a check sum covers it (its own or one that it is compared with), and what a reader
 * makes of other bytes in their place, as text.
 */
export async function documentsIn(folder) {
  const at = (name) => join(folder, name);
  const sample = (name, isChecked, read) => ({
    name,
    isChecked,
    bytes: readFileSync(at(name)),
    put: (bytes) => put(at(name), bytes),
    read: async () => asText(await read()),
  });
  await writeDocuments(at);
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
      const found = fileOutcomeStore(at('runs.jsonl')).find(outcomeKey);
      if (found === undefined) throw Object.assign(new Error('done again'), { kind: 'data' });
      return found;
    }),
    ...(await modelDocuments()),
    ...(await datasetDocuments(at('whole-set'), at('ratings.csv'))),
    await charterDocument(),
  ];
}

function put(file, bytes) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

/** One small document of each kind, written by what writes it in earnest where that is code of ours. */
async function writeDocuments(at) {
  mkdirSync(at('set'), { recursive: true });
  const ledger = await openLedger(at('ledger.sqlite'), { create: true, markIn: at('set') });
  for (const epsilon of [1, 2, 3]) await ledger.grant(account, { epsilon, delta: 1e-5, protection });
  await ledger.close();
  await secretFor(at('model'), 'job', false);
  put(at('metrics.json'), await encodeMetrics(certificate, { rmse: 0.9, list: [1, 2] }));
  const log = await createReleaseLog(at('releases'));
  await log.write({ name: 'item counts', part: 0 }, { kind: 'numbers', values: Float64Array.of(1, 2, 3) });
  await log.write({ name: 'bits', part: 1 }, { kind: 'bits', values: Uint8Array.of(0, 1) });
  await log.write(
    { name: 'cells', part: 0 },
    { kind: 'cells', columns: Uint32Array.of(4), values: Float64Array.of(5) },
  );
  await log.close();
  put(at('tokens'), '# ours\noperator abcdefghijklmnopqrst\nviewer 0123456789abcdefghij\n');
  put(
    at('reports/comparison.json'),
    '{"title":"T","rows":[{"method":"a","metric":"rmse","mean":0.9}],"cells":[{"method":"a","slices":[{"rmse":1}]}]}',
  );
  put(at('history.csv'), 'item,rating\ni0,5\ni1,0.5\n');
  put(at('history.json'), '[{"id":"i0","rating":5},{"id":"i1","rating":1}]');
  put(at('items.csv'), 'item,title,genre\ni0,"A, B",x|y\ni1,C,x\n');
  writeFileSync(at('ratings.csv'), 'user,item,rating\na,i0,5\na,i1,4\nb,i0,3\n');
  await fileOutcomeStore(at('runs.jsonl')).add(outcomeKey, { rmse: 0.9 });
}

/** Every file of a published model, opened together with the others as they were written. */
async function modelDocuments() {
  const itemBias = Float32Array.of(0.5, -0.25);
  const files = await encodePublished({
    manifest: {
      ...{ format: 'hushrec-model-2', method: 'dpals', settings: { rank: 3 }, scale },
      ...{ itemIds: ['i0', 'i1'], titles: ['A', 'B'], versions: { hushrec: '0.1.0' } },
    },
    model: { kind: 'baseline', feedback: 'explicit', offset: 3, itemBias, userShrinkage: 2 },
    certificate: sampleStatement,
  });
  return [...files].map(([name, bytes]) => {
    const damaged = new Map(files);
    return {
      name: `model/${name}`,
      isChecked: true,
      bytes,
      put: (others) => damaged.set(name, new Uint8Array(others)),
      read: async () => asText(await decodePublished(damaged)),
    };
  });
}

/** Every file of a data set folder. */
async function datasetDocuments(folder, source) {
  await importSource(source, folder, { scale });
  return readdirSync(folder).map((name) => ({
    name: `data set/${name}`,
    isChecked: true,
    bytes: readFileSync(join(folder, name)),
    put: (bytes) => writeFileSync(join(folder, name), bytes),
    read: async () => {
      const { manifest, ratings, userIds, itemIds, appearance } = await openDataset(folder);
      return asText([manifest.account, manifest.scale, ratings, userIds, itemIds, appearance]);
    },
  }));
}

/** What is no JSON is refused before a charter is looked for. */
function parsed(text) {
  try {
    return JSON.parse(text.toString());
  } catch (error) {
    throw Object.assign(error, { kind: 'data' });
  }
}

/** A charter with the signatures of those who run it. */
async function charterDocument() {
  const { signed, read } = await signedCharter();
  const bytes = Buffer.from(JSON.stringify(signed));
  let text = bytes;
  return {
    name: 'charter.json',
    isChecked: true,
    bytes,
    put: (others) => (text = others),
    read: async () => canonicalJson(await read(parsed(text))),
  };
}
