import '@hushrec/papers/register';
import {
  type Certificate,
  type CertificateStatement,
  fileNames,
  type TrainedOn,
  verifyPublished,
} from '@hushrec/model';
import { encodeMetrics } from '@hushrec/model/making';
import {
  exportSigningKey,
  generateSigningKey,
  importSigningKey,
  readableJson,
  SigningError,
  type SigningKey,
} from '@hushrec/model/signing';
import { usefulnessOf } from '@hushrec/model/usefulness';
import { certificateText } from '@hushrec/model/words';
import {
  calibrate,
  createRecorder,
  gaussianEpsilon,
  type ReleasePlan,
  roundUpEpsilon,
  sensitive,
} from '@hushrec/privacy';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  exampleFactors,
  exampleModel,
  exampleRun,
  exampleStatement,
} from '../../../model/src/example-model.test.data.js';
import { certify } from './certify.js';
import { encodePublished as encode } from './encode-published.js';
import { sealCertificate } from './seal-certificate.js';

type Files = Map<string, Uint8Array>;
const encodePublished = (model: Parameters<typeof encode>[0], signingKey?: SigningKey) =>
  encode(model, { signingKey });

let key: SigningKey;
let unsigned: Files;
/** A simulation, which alone may hold metrics. */
let evaluated: Files;
let signed: Files;
beforeAll(async () => {
  key = await generateSigningKey();
  unsigned = await encodePublished(exampleModel());
  evaluated = await encodePublished(exampleModel(exampleFactors, { ...exampleStatement, simulation: true }));
  evaluated.set(fileNames.metrics, await metricsOf(evaluated));
  signed = await encodePublished(exampleModel(), key);
});

function certificateIn(files: Files): Certificate {
  return JSON.parse(new TextDecoder().decode(files.get(fileNames.certificate)));
}

const metricsOf = (files: Files) =>
  encodeMetrics(certificateIn(files).hash, { rmse: { value: 0.86, low: 0.85, high: 0.87 } });

const failed = async (files: Files, options = {}) =>
  (await verifyPublished(files, options)).checks.filter(({ ok }) => !ok).map(({ name }) => name);

/** A careful forger: edits the certificate and recomputes words and hashes, everything but the signature. */
async function forged(
  files: Files,
  change: Partial<Certificate>,
  inWords: (text: string) => string = (text) => text,
): Promise<Files> {
  const { signature, ...rest } = certificateIn(files);
  const statement = { ...rest, ...change };
  const copy: Files = new Map(files);
  copy.delete(fileNames.metrics);
  copy.delete(fileNames.certificate);
  copy.set(fileNames.certificateText, new TextEncoder().encode(inWords(certificateText(statement))));
  const sealed = await sealCertificate(statement, copy);
  copy.set(
    fileNames.certificate,
    new TextEncoder().encode(readableJson(signature === undefined ? sealed : { ...sealed, signature })),
  );
  return copy;
}

/** A model that says that it was trained on a part of the data. */
function ofPart(trainedOn: TrainedOn, simulation: boolean) {
  const model = exampleModel(exampleFactors, { ...exampleStatement, simulation });
  return { ...model, manifest: { ...model.manifest, run: { ...exampleRun, trainedOn } } };
}

/** The same, published by a program that asks nothing about the part. */
async function trainedOnPart(...[trainedOn, simulation]: Parameters<typeof ofPart>): Promise<Files> {
  const files = await encodePublished(ofPart(trainedOn, true));
  return forged(files, { simulation });
}

it('takes a verdict on a number at a bound as it was given, although three digits of it are published', async () => {
  const releases = [{ ...exampleStatement.releases[0], name: 'item-counts' }];
  for (const head of [1.3004, 1.2996, 0.7003, 0.6997]) {
    const usefulness = usefulnessOf(exampleFactors, releases, { head, tail: 2 })!;
    expect([1.3, 0.7]).toContain(usefulness.vectors?.head);
    const files = await encodePublished(
      exampleModel(exampleFactors, { ...exampleStatement, releases, usefulness }),
    );
    expect(await failed(files), String(head)).toEqual([]);
  }
});

it('notices another figure for what would be enough', async () => {
  const releases = [{ ...exampleStatement.releases[0], name: 'item-counts', noise: 3 }];
  const said = usefulnessOf(exampleFactors, releases)!;
  expect(said.neededRange).toBeDefined();
  const usefulness = { ...said, needed: 0.5 * said.needed };
  expect(await failed(await forged(unsigned, { releases, usefulness }))).toContain('model is readable');
});

describe('the words of a certificate', () => {
  const releases = [{ ...exampleStatement.releases[0], name: 'item-counts' }];
  const known = usefulnessOf(exampleFactors, releases, { head: 2, tail: 2 })!;
  const usefulness = { ...known, itemsAboveNoise: 0, verdict: 'too-noisy' } as const;
  const failsInWords = async (inWords: (text: string) => string) =>
    (await failed(await forged(unsigned, { releases, usefulness }, inWords))).includes('words match numbers');

  it('are those that this version writes for the numbers, and no others', async () => {
    expect(await failsInWords((text) => text)).toBe(false);
    expect(await failsInWords((text) => text.replace('none of', 'not one of'))).toBe(true);
    expect(await failsInWords((text) => text.replace('at most 0.99996', 'at most 0.9999'))).toBe(true);
  });
});

it('a signature that nobody asked for is a warning when it is missing, never a check that passed', async () => {
  const { checks, warnings } = await verifyPublished(unsigned);
  expect(checks.map(({ name }) => name)).not.toContain('signature');
  expect(warnings.join(' ')).toContain('Not signed');
  expect((await verifyPublished(signed)).checks.at(-1)).toMatchObject({ name: 'signature', ok: true });
});

describe('a plan in stages', () => {
  const staged = (mu: number, epsilon = roundUpEpsilon(gaussianEpsilon(mu, 1e-5))): CertificateStatement => ({
    ...exampleStatement,
    epsilon,
    staged: { mu, rule: 'by counts' },
  });
  const faults = async (statement: CertificateStatement) =>
    failed(await encodePublished(exampleModel(exampleFactors, statement)));

  it('verifies at its total, also where less was used', async () => {
    // Four releases at σ = Δ: Σμ² = 4.
    expect(await faults(staged(2.0001))).toEqual([]);
    expect(await faults(staged(2.5))).toEqual([]);
  });

  it('does not verify where its releases go beyond the total, or ε is not that of the total', async () => {
    expect(await faults(staged(1.9))).toEqual(['promised ε follows from the releases']);
    expect(await faults(staged(2.5, exampleStatement.epsilon!))).toEqual([
      'promised ε follows from the releases',
    ]);
  });
});

describe('an untouched model folder', () => {
  it('is verified, with what to know about it', async () => {
    const { ok, checks, warnings } = await verifyPublished(unsigned);
    expect(checks.filter((check) => !check.ok)).toEqual([]);
    expect(ok).toBe(true);
    expect(checks.map(({ name }) => name)).toContain('a second accountant agrees');
    expect(warnings.join()).toMatch(/Not signed/);
  });

  it('is verified with its signature', async () => {
    expect(await failed(signed, { trustedKeys: [key.publicKey] })).toEqual([]);
  });

  it('says so when the signature is missing or someone else’s', async () => {
    expect(await failed(unsigned, { trustedKeys: [key.publicKey] })).toEqual(['signature']);
    const other = await generateSigningKey();
    expect(await failed(signed, { trustedKeys: [other.publicKey] })).toEqual(['signature']);
  });
});

describe('a folder with one byte changed', () => {
  /**
   * The lowest bit, the case of letters, and the bit that leaves ASCII: one of them at each position, in
   * turn.
   */
  const flips = [0x01, 0x20, 0x80];

  async function undetected(files: Files, name: string, positions: Iterable<number>): Promise<string[]> {
    const missed: string[] = [];
    const original = files.get(name)!;
    const bytes = original.slice();
    files.set(name, bytes);
    for (const position of positions) {
      const flip = flips[position % flips.length];
      bytes[position] ^= flip;
      if ((await verifyPublished(files)).ok) missed.push(`${name}[${position}] ^ ${flip}`);
      bytes[position] ^= flip;
    }
    files.set(name, original);
    return missed;
  }

  it.each([fileNames.certificate, fileNames.manifest, fileNames.certificateText])(
    'is noticed: every byte of %s',
    async (name) => {
      expect(await undetected(unsigned, name, unsigned.get(name)!.keys())).toEqual([]);
    },
  );

  it('is noticed: every byte of metrics', async () => {
    const { metrics } = fileNames;
    expect(await failed(evaluated)).toEqual([]);
    expect(await undetected(evaluated, metrics, evaluated.get(metrics)!.keys())).toEqual([]);
  });

  it('refuses metrics in the folder of a model that protects someone', async () => {
    const files = new Map([...unsigned, [fileNames.metrics, await metricsOf(unsigned)] as const]);
    expect(await failed(files)).toEqual(['files are unchanged']);
  });

  it('is noticed: every byte of a signed certificate', async () => {
    expect(
      await undetected(signed, fileNames.certificate, signed.get(fileNames.certificate)!.keys()),
    ).toEqual([]);
  });

  it('is noticed: a sample of the tensors, first and last byte among it', async () => {
    const { length } = unsigned.get(fileNames.tensors)!;
    const positions = Array.from({ length: 40 }, (_, at) => Math.round((at * (length - 1)) / 39));
    expect(await undetected(unsigned, fileNames.tensors, positions)).toEqual([]);
  });

  it('is noticed: bytes cut off, appended, files missing, files added', async () => {
    for (const [name, bytes] of evaluated) {
      for (const changed of [bytes.subarray(0, -1), Uint8Array.of(...bytes, 0x0a), undefined]) {
        const files = new Map(evaluated);
        if (changed === undefined) files.delete(name);
        else files.set(name, changed);
        // Taking the metrics away is no forgery: a model need not have been evaluated.
        const expected = name === fileNames.metrics && changed === undefined;
        expect((await verifyPublished(files)).ok, name).toBe(expected);
      }
    }
    expect(await failed(new Map([...unsigned, ['users.csv', new Uint8Array()]]))).toEqual([
      'files are unchanged',
    ]);
  });
});

describe('a certificate edited by hand, hashes and words recomputed', () => {
  it.each([
    ['a smaller ε', { epsilon: 1 }],
    ['a larger ε', { epsilon: 20 }],
    ['an ε a little smaller', { epsilon: 9.9971 }],
    ['a smaller δ', { delta: 1e-7 }],
    ['fewer releases', { releases: [{ ...exampleStatement.releases[0], count: 3 }] }],
    ['more noise', { releases: [{ ...exampleStatement.releases[0], noise: 3 }] }],
    ['half a release', { releases: [{ ...exampleStatement.releases[0], count: 4.5 }] }],
    ['no releases', { releases: [] }],
    ['no guarantee where there is one', { epsilon: null }],
    ['another accountant', { accountant: 'pld' }],
  ] as const)('is refuted by accounting: %s', async (_name, change) => {
    expect(await failed(await forged(unsigned, change as Partial<Certificate>))).toEqual([
      'promised ε follows from the releases',
    ]);
  });

  it('is refuted by the model: another method', async () => {
    expect(await failed(await forged(unsigned, { method: 'am-ssp' }))).toEqual(['model is readable']);
  });

  it('is refuted by the part that was trained on, unless it is of a simulation', async () => {
    const faults = ['ratings were selected person by person'];
    const ofAllTogether = { protocol: 'holdout', splitSeed: 1 };
    for (const [trainedOn, expected] of [
      [ofAllTogether, faults],
      [{ ...ofAllTogether, division: 'by-rating' }, []],
      [{ ...ofAllTogether, division: 'by-person' }, faults],
      [{ protocol: 'leave-one-out', division: 'by-person' }, []],
      [{ protocol: 'leave-one-out', division: 'by-rating' }, faults],
      [{ protocol: 'leave-one-out', candidates: 'a file' }, faults],
      [{ protocol: 'constructor', division: 'by-person' }, faults],
      [{ division: 'by-rating' }, faults],
      [{ liked: 4 }, []],
    ] as const) {
      expect(await failed(await trainedOnPart(trainedOn, false)), JSON.stringify(trainedOn)).toEqual(
        expected,
      );
      expect(await failed(await trainedOnPart(trainedOn, true))).toEqual([]);
    }
    await expect(encodePublished(ofPart(ofAllTogether, false))).rejects.toThrow(
      /not chosen person by person/,
    );
  });

  it('is refuted by the signature, whatever was edited', async () => {
    expect(await failed(await forged(signed, { tuning: 'fixed in advance!' }))).toEqual(['signature']);
    // ε and releases changed together are consistent; only a signature can tell.
    const consistent = {
      epsilon: 4.37718,
      releases: [{ ...exampleStatement.releases[0], sensitivity: 1, noise: 10, count: 100 }],
    };
    expect(await failed(await forged(unsigned, consistent))).toEqual([]);
    expect(await failed(await forged(signed, consistent))).toEqual(['signature']);
  });

  it('is noticed when only the number was edited', async () => {
    const text = new TextDecoder().decode(unsigned.get(fileNames.certificate));
    const edited = new Map(unsigned);
    edited.set(fileNames.certificate, new TextEncoder().encode(text.replace('9.99726', '0.99726')));
    expect(await failed(edited)).toEqual(
      expect.arrayContaining([
        'certificate is unchanged',
        'words match numbers',
        'promised ε follows from the releases',
      ]),
    );
  });
});

describe('certificates of every kind of run', () => {
  const context = {
    method: 'dpals',
    account: 'd'.repeat(64),
    catalogue: 'declared' as const,
    ledgerEntry: null,
    codeVersion: '0.1.0',
    tuning: 'none.',
  };
  const run = async (plan: ReleasePlan, target: { epsilon: number; delta: number }, seed?: number) => {
    const calibrated = calibrate(plan, target);
    const recorder = createRecorder(calibrated, seed === undefined ? {} : { seed });
    for (const { name, count, mechanism, sensitivity } of calibrated.releases) {
      for (let time = 0; time < count; time++) {
        const release = recorder.begin(name);
        if (mechanism.kind === 'pure')
          await release.flip(0, sensitive(Uint8Array.of(0, 1), 'l1', sensitivity));
        else {
          const norm = mechanism.kind === 'laplace' ? 'l1' : 'l2';
          await release.add(0, sensitive(Float64Array.of(1, 2, 3), norm, sensitivity), 2 ** -12);
        }
        release.close();
      }
    }
    return certify(recorder.finish(), context);
  };
  const plan = (releases: ReleasePlan['releases']): ReleasePlan => ({
    unit: 'user',
    relation: 'add-remove',
    released: 'sums',
    releases,
  });
  const gaussian = {
    name: 'g',
    mechanism: { kind: 'gaussian' },
    sensitivity: 2,
    count: 3,
    share: 1,
  } as const;
  const laplace = {
    name: 'l',
    mechanism: { kind: 'laplace' },
    sensitivity: 2,
    count: 2,
    share: 0.5,
  } as const;
  const knorm = {
    name: 'k',
    mechanism: { kind: 'k-norm', dimension: 3 },
    sensitivity: 1,
    count: 1,
    share: 0.25,
  } as const;
  const pure = {
    name: 'p',
    mechanism: { kind: 'pure', mechanism: 'randomised response' },
    sensitivity: 1,
    count: 1,
    share: 0.25,
  } as const;
  const sampled = {
    name: 's',
    mechanism: { kind: 'poisson-sampled-gaussian', rate: 0.1 },
    sensitivity: 1,
    count: 20,
    share: 1,
  } as const;
  const publish = async (statement: CertificateStatement) =>
    encodePublished(exampleModel(exampleFactors, statement));

  it.each([
    ['Gaussian', [gaussian], { epsilon: 1, delta: 1e-6 }],
    ['pure', [laplace, knorm, pure], { epsilon: 2, delta: 0 }],
    ['Gaussian at a tiny δ', [gaussian], { epsilon: 1, delta: 1e-20 }],
    ['sampled', [sampled], { epsilon: 3, delta: 1e-6 }],
    ['mixed', [{ ...gaussian, share: 0.5 }, laplace], { epsilon: 2, delta: 1e-6 }],
  ] as const)('are verified: %s', async (_name, releases, target) => {
    const statement = await run(plan(releases), target);
    expect(statement.epsilon).toBeLessThanOrEqual(target.epsilon * (1 + 1e-5));
    expect(statement.epsilon).toBeGreaterThan(0.5 * target.epsilon);
    expect(statement.releases.map(({ name }) => name)).toEqual(
      expect.arrayContaining(releases.map(({ name }) => name)),
    );
    const files = await publish(statement);
    expect(await failed(files)).toEqual([]);
    expect(await failed(await forged(files, { epsilon: statement.epsilon! * 0.99 }))).not.toEqual([]);
    expect(await failed(await forged(files, { epsilon: statement.epsilon! * 1.01 }))).not.toEqual([]);
  });

  it('are verified and warned about: simulation', async () => {
    const statement = await run(plan([gaussian]), { epsilon: 1, delta: 1e-6 }, 7);
    expect(statement.simulation).toBe(true);
    const { ok, warnings } = await verifyPublished(await publish(statement));
    expect(ok).toBe(true);
    expect(warnings.join()).toMatch(/nobody is protected/);
    expect(certificateText(statement)).toMatch(/Simulation: nothing is protected/);
    await expect(encodePublished(exampleModel(exampleFactors, statement), key)).rejects.toThrow(SigningError);
  });

  it('are verified and warned about: no noise', async () => {
    const statement = await run(plan([gaussian]), { epsilon: Infinity, delta: 0 });
    expect(statement).toMatchObject({ epsilon: null, accountant: 'none', unit: 'user' });
    const { ok, warnings } = await verifyPublished(await publish(statement));
    expect(ok).toBe(true);
    expect(warnings.join()).toMatch(/no finite ε/);
  });

  it('state what is proved where a paper’s bound is none', async () => {
    const weak = { ...gaussian, proved: { sensitivity: 4 } };
    const statement = await run(
      { ...plan([weak]), claimedByPaper: { claim: 'ε = 1', why: 'The sensitivity is twice as large.' } },
      { epsilon: 1, delta: 1e-6 },
    );
    expect(statement.releases[0]).toMatchObject({ sensitivity: 2, provedSensitivity: 4 });
    expect(statement.epsilon).toBeGreaterThan(2);
    expect(certificateText(statement)).toMatch(/The paper claims: ε = 1/);
    expect(await failed(await publish(statement))).toEqual([]);
  });
});

describe('keys', () => {
  it('survive export and import in PKCS #8', async () => {
    const again = await importSigningKey(await exportSigningKey(key));
    expect(again.publicKey).toBe(key.publicKey);
    const files = await encodePublished(exampleModel(), again);
    expect(await failed(files, { trustedKeys: [key.publicKey] })).toEqual([]);
  });

  it('are refused when they are something else', async () => {
    await expect(importSigningKey('ssh-ed25519 AAAA')).rejects.toThrow(SigningError);
    await expect(
      importSigningKey('-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----'),
    ).rejects.toThrow(SigningError);
  });
});
