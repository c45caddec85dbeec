import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@hushrec/ledger';
import { type CertificateStatement, type FactorModel, fileNames } from '@hushrec/model';
import { readModelFiles } from '@hushrec/model/folder';
import { parseReadableJson, readableJson } from '@hushrec/model/signing';
import { generateCatalogue } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleFactors } from '../../model/src/example-model.test.data.js';
import { catalogueSource } from './catalogue-source.test.data.js';
import { sealCertificate } from './publish/seal-certificate.js';
import { modelDifference } from './replay/same-model.js';
import { trainAndPublish } from './train-and-publish.js';
import { verifyModel } from './verify-model.js';

const { ratings } = generateCatalogue({ users: 80, items: 16, ratings: 600, seed: 2 });
let folder: string;
let files: ReadonlyMap<string, Uint8Array>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-recompute-'));
  await trainAndPublish({
    source: catalogueSource(ratings, { id: 'b'.repeat(32), name: 'test' }, 'the content'),
    method: 'hush',
    epsilon: 2,
    delta: 1e-6,
    out: join(folder, 'model'),
    withReleases: true,
    threads: 1,
    codeVersion: '0',
    show: ({ hash }) => hash,
    ledger: () => openLedger(join(folder, 'ledger.sqlite'), { create: true }),
  });
  files = await readModelFiles(join(folder, 'model'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The folder with another description of the model, sealed as if it had been written so. */
async function described(change: (model: Record<string, unknown>) => void) {
  const manifest = parseReadableJson(files.get(fileNames.manifest)!) as { model: Record<string, unknown> };
  change(manifest.model);
  const edited = new Map(files).set(fileNames.manifest, new TextEncoder().encode(readableJson(manifest)));
  const statement = parseReadableJson(files.get(fileNames.certificate)!) as CertificateStatement;
  edited.delete(fileNames.certificate);
  const sealed = await sealCertificate(statement, edited);
  return edited.set(fileNames.certificate, new TextEncoder().encode(readableJson(sealed)));
}
const failed = async (all: ReadonlyMap<string, Uint8Array>) =>
  (await verifyModel(all)).checks.filter(({ ok }) => !ok);

describe('a model that is recomputed from its releases', () => {
  it('holds as it was published', async () => {
    expect(await failed(files)).toEqual([]);
  });

  it.each<[string, (model: Record<string, unknown>) => void]>([
    ['offset', (model) => (model['offset'] = (model['offset'] as number) + 1e-6)],
    ['foldIn', ({ foldIn }) => ((foldIn as Record<string, number>)['ridge'] *= 1.5)],
  ])('is refused with another %s, however well it is sealed', async (field, change) => {
    const [fault, ...others] = await failed(await described(change));
    expect(fault).toMatchObject({ name: 'model follows from its releases' });
    expect(fault.detail).toContain(`its description (${field})`);
    expect(others).toEqual([]);
  });
});

it.each<[string, Partial<FactorModel>]>([
  ['offset', { offset: 3.6 }],
  ['foldIn', { foldIn: { ...exampleFactors.foldIn, ridge: 2 } }],
  ['feedback', { feedback: 'implicit' }],
])('two models differ by their %s alone', (field, change) => {
  const other = { model: { ...exampleFactors, ...change } as FactorModel };
  expect(modelDifference({ model: exampleFactors }, other, 3)).toBe(`its description (${field})`);
  expect(modelDifference({ model: exampleFactors }, { model: exampleFactors }, 3)).toBeUndefined();
});
