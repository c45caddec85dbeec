import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CertificateStatement,
  fileNames,
  type ItemModel,
  type ModelManifest,
  PublicationError,
  verifyPublished,
} from '@hushrec/model';
import { readModelFiles } from '@hushrec/model/folder';
import { decodeTensors, encodeTensors, faultInPublishedFields } from '@hushrec/model/making';
import { generateSigningKey, parseReadableJson, readableJson, type SigningKey } from '@hushrec/model/signing';
import { certificateText } from '@hushrec/model/words';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  exampleFactors,
  exampleModel,
  exampleRun,
  exampleStatement,
} from '../../../model/src/example-model.test.data.js';
import { cases, publish, runOfCase, runOn, statementOf } from '../neighbouring-runs.test.data.js';
import { verifyModel } from '../verify-model.js';
import { encodePublished } from './encode-published.js';
import { sealCertificate } from './seal-certificate.js';

type Json = Record<string, unknown>;
const utf8 = new TextEncoder();
const check = 'nothing else is published';
const parsed = (files: ReadonlyMap<string, Uint8Array>, name: string) =>
  parseReadableJson(files.get(name)!) as Json;

/** Every object of a document, with its place; of a list the last one. */
function objectsIn(value: unknown, place = ''): (readonly [string, Json])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return objectsIn(value.at(-1), `${place}[${value.length - 1}]`);
  return [
    [place, value as Json],
    ...Object.entries(value).flatMap(([name, each]) =>
      objectsIn(each, place === '' ? name : `${place}.${name}`),
    ),
  ];
}

/**
 * The same files with a changed manifest or certificate, sealed (and signed) as if they had been written so.
 */
async function resealed(
  files: ReadonlyMap<string, Uint8Array>,
  change: { readonly manifest?: Json; readonly certificate?: Json },
  key?: SigningKey,
): Promise<Map<string, Uint8Array>> {
  const changed = new Map(files);
  const statement = (change.certificate ??
    parsed(files, fileNames.certificate)) as unknown as CertificateStatement;
  if (change.manifest) changed.set(fileNames.manifest, utf8.encode(readableJson(change.manifest)));
  changed.set(fileNames.certificateText, utf8.encode(certificateText(statement)));
  changed.delete(fileNames.certificate);
  const sealed = await sealCertificate(statement, changed, key);
  return changed.set(fileNames.certificate, utf8.encode(readableJson(sealed)));
}

async function faultOf(files: ReadonlyMap<string, Uint8Array>): Promise<string | undefined> {
  const { ok, checks } = await verifyPublished(files);
  const found = checks.find(({ name }) => name === check);
  expect(ok).toBe(checks.every((each) => each.ok));
  return found?.ok === false ? found.detail : undefined;
}

/**
 * A model in which every field stands that one may have; the unit decides over `listedPeople` and user ids.
 */
const everything: ModelManifest = {
  ...exampleModel().manifest,
  links: ['https://shop.example/a', '', ''],
  images: ['/a.png', '', ''],
  run: {
    ...exampleRun,
    declaredPeople: 400,
    sources: [{ name: 'genre', kind: 'categorical', sha256: 'a'.repeat(64) }],
    trainedOn: { protocol: 'holdout', splitSeed: 1, division: 'by-rating', candidates: 'all', liked: 4 },
  },
  facts: {
    people: 400.2,
    residualVariance: 1,
    meanRating: 3,
    directions: 2,
    encoderParameters: 3,
    eigenvalues: [1, 2],
    path: [{ direction: Float64Array.of(1, 2), strength: 0.5 }],
    listedItems: 3,
    itemsWithPopularityAlone: 0,
  },
};
const stated: CertificateStatement = {
  ...exampleStatement,
  people: { about: 400, from: 'declaration' },
  claimedByPaper: { claim: 'ε = 1', why: 'It is more.' },
  federated: {
    charter: 'a'.repeat(64),
    log: 'b'.repeat(64),
    aggregators: [{ name: 'one', publicKey: 'k' }],
    noiseBy: 'parties',
    parties: [{ name: 'shop', publicKey: 'k' }],
    honestNeeded: 1,
    leastReports: 10,
    outside: { epsilon: 1 },
  },
};
const withUsers: ItemModel = {
  ...exampleFactors,
  users: { ids: ['ann'], factors: Float32Array.of(1, 2) },
};
const rated = { ...stated, unit: 'rating-presence' } as const;

let engine: Engine;
let folder: string;
let key: SigningKey;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'hushrec-fields-'));
  key = await generateSigningKey();
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

describe('what a run of each method publishes', () => {
  it('is looked at for every method that protects someone, of all papers, and for every unit', () => {
    const units = new Set(cases.flatMap(([, , unit]) => unit));
    expect([...units].sort()).toEqual(expect.arrayContaining(['rating-presence', 'rating-value', 'user']));
    expect(new Set(cases.map(([method]) => method)).size).toBeGreaterThanOrEqual(17);
  });

  it.each(cases)('%s on %s data, unit %s: no field but those, at any depth', async (...each) => {
    const { run, ratings } = runOfCase(each);
    const made = await runOn(engine, run, ratings);
    const directory = join(folder, each.join('-'));
    await publish(directory, run, made, statementOf(run, made));
    const files = await readModelFiles(directory);
    const manifest = parsed(files, fileNames.manifest);
    const certificate = parsed(files, fileNames.certificate);
    const fault = (one: Json, other: Json) => faultInPublishedFields(one, other as never);
    expect(fault(manifest, certificate)).toBeUndefined();
    expect(Object.hasOwn(manifest['run'] as Json, 'listedPeople')).toBe(certificate['unit'] !== 'user');
    expect(certificate['peopleListed']).toBe(certificate['unit'] === 'rating-presence' ? 'rated' : undefined);
    for (const [at, document] of [manifest, certificate].entries())
      for (const [place] of objectsIn(document).filter(([name]) => at === 1 || name !== 'settings')) {
        const changed = structuredClone(document);
        objectsIn(changed).find(([name]) => name === place)![1]['planted'] = 4000;
        const found = at === 0 ? fault(changed, certificate) : fault(manifest, changed);
        expect(found, place).toContain(`"${place === '' ? '' : `${place}.`}planted"`);
      }
  });
});

describe('a field that has no place', () => {
  it.each([
    ['unsigned', false],
    ['signed', true],
  ])('is refused at every depth, %s', async (_, isSigned) => {
    const by = isSigned ? key : undefined;
    const files = await encodePublished(
      { manifest: everything, model: exampleFactors, certificate: stated },
      { signingKey: by },
    );
    expect(await faultOf(files)).toBeUndefined();
    const manifest = parsed(files, fileNames.manifest);
    const places = objectsIn(manifest).map(([place]) => place);
    expect(places).toEqual(
      ['', 'facts', 'facts.path[0]', 'hashes', 'model', 'model.foldIn', 'run', 'run.scale'].concat([
        'run.sources[0]',
        'run.trainedOn',
        'scale',
        'settings',
        'versions',
      ]),
    );
    for (const place of places) {
      const changed = structuredClone(manifest);
      objectsIn(changed).find(([name]) => name === place)![1]['planted'] = 4000;
      const planted = await resealed(files, { manifest: changed }, by);
      if (place === 'settings') {
        const { ok, checks } = await verifyModel(planted);
        expect([ok, checks.find(({ name }) => name.startsWith('settings'))?.ok]).toEqual([false, false]);
      } else expect(await faultOf(planted), place).toContain(`"${place === '' ? '' : `${place}.`}planted"`);
    }
    const certificate = parsed(files, fileNames.certificate);
    for (const [place] of objectsIn(certificate)) {
      // The seal writes these two itself.
      if (place === 'files' || place === 'signature') continue;
      const changed = structuredClone(certificate);
      objectsIn(changed).find(([name]) => name === place)![1]['planted'] = 4000;
      const planted = await resealed(files, { certificate: changed }, by);
      expect(await faultOf(planted), place).toContain(`"${place === '' ? '' : `${place}.`}planted"`);
    }
  });

  it.each([
    ['run.listedPeople', (manifest: Json) => ((manifest['run'] as Json)['listedPeople'] = 4000)],
    ['run.simulatedParties', (manifest: Json) => ((manifest['run'] as Json)['simulatedParties'] = 3)],
  ])('is refused where the unit is a person, although others have it: %s', async (place, plant) => {
    const files = await encodePublished({ manifest: everything, model: exampleFactors, certificate: stated });
    const manifest = parsed(files, fileNames.manifest);
    plant(manifest);
    expect(await faultOf(await resealed(files, { manifest }))).toContain(`"${place}"`);
  });

  it('is refused where the unit is a person: a word about a list of people', async () => {
    const files = await encodePublished(exampleModel());
    const certificate = { ...parsed(files, fileNames.certificate), peopleListed: 'rated' };
    expect(await faultOf(await resealed(files, { certificate }))).toContain('peopleListed');
  });

  it('lists people where the unit is a rating, with their vectors', async () => {
    const manifest = { ...everything, run: { ...everything.run!, listedPeople: 1 } };
    const files = await encodePublished({ manifest, model: withUsers, certificate: rated });
    expect(await faultOf(files)).toBeUndefined();
  });

  it('is refused as a number of people that was neither declared nor released', async () => {
    for (const people of [
      { about: 399, from: 'declaration' },
      { about: 399, from: 'release' },
    ] as const) {
      const files = await encodePublished({
        manifest: everything,
        model: exampleFactors,
        certificate: stated,
      });
      const certificate = { ...parsed(files, fileNames.certificate), people };
      expect(await faultOf(await resealed(files, { certificate }))).toContain('399 people');
    }
  });

  it('is refused as a file that the certificate covers', async () => {
    const files = await encodePublished(exampleModel());
    files.set('people.csv', utf8.encode('ann\n'));
    expect(await faultOf(await resealed(files, {}))).toContain('files.people.csv');
  });

  it('is refused beside the tensors', async () => {
    const files = await encodePublished(exampleModel());
    const tensors = decodeTensors(files.get(fileNames.tensors)!);
    files.set(fileNames.tensors, encodeTensors(tensors, { people: '4000' }));
    expect(await faultOf(await resealed(files, {}))).toContain('holds more than its tensors');
  });

  it('is not written either', async () => {
    const planted = (change: object) =>
      encodePublished({ manifest: { ...everything, ...change }, model: exampleFactors, certificate: stated });
    await expect(planted({ people: 4000 })).rejects.toThrow(PublicationError);
    await expect(planted({ run: { ...everything.run, listedPeople: 4000 } })).rejects.toThrow(
      'model.json holds "run.listedPeople", which has no place in it (unit user)',
    );
    const said = { ...stated, exactPeople: 4000 } as CertificateStatement;
    await expect(encodePublished({ ...exampleModel(), certificate: said })).rejects.toThrow('exactPeople');
  });
});
