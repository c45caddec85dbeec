import { CorruptModelError } from '@hushrec/model';
import { generateSigningKey } from '@hushrec/model/signing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { certify } from '../../../packages/train/src/publish/certify.js';
import { encodePublished } from '../../../packages/train/src/publish/encode-published.js';
import { fetchModel, openModel } from './client.js';

const plan = {
  unit: 'user',
  relation: 'add-remove',
  released: 'item effects',
  epsilon: Infinity,
  delta: 0,
  accountant: 'none',
  releases: [],
} as const;

async function files(signed: boolean, offset = 3) {
  const record = {
    plan,
    simulation: false,
    releases: [],
    event: { kind: 'non-private', because: 'an example' },
  } as const;
  const key = await generateSigningKey();
  const encoded = await encodePublished(
    {
      manifest: {
        format: 'hushrec-model-2',
        method: 'item-average',
        settings: {},
        scale: { min: 1, max: 5, step: 1 },
        itemIds: ['a', 'b'],
        versions: { hushrec: '0' },
      },
      model: { kind: 'baseline', feedback: 'explicit', offset, itemBias: Float32Array.of(1, -1) },
      certificate: certify(record, {
        method: 'item-average',
        account: '00',
        catalogue: 'declared',
        ledgerEntry: null,
        codeVersion: '0',
        tuning: 'none',
      }),
    },
    signed ? { signingKey: key } : {},
  );
  return { encoded, key };
}

/** The certificate with one text replaced, as someone in the middle might. */
function tampered(encoded: ReadonlyMap<string, Uint8Array>, from: string, to: string) {
  const text = new TextDecoder().decode(encoded.get('certificate.json'));
  expect(text).toContain(from);
  return new Map([...encoded, ['certificate.json', new TextEncoder().encode(text.replace(from, to))]]);
}

describe('the client library', () => {
  it('opens what was issued, signed or not', async () => {
    for (const signed of [true, false]) {
      const { recommender } = await openModel((await files(signed)).encoded);
      expect(recommender.recommend([], { k: 1 }).items[0].id).toBe('a');
    }
  });

  it('refuses a certificate that was changed', async () => {
    const { encoded } = await files(false);
    await expect(openModel(tampered(encoded, '"item-average"', '"item-averagE"'))).rejects.toThrow(
      CorruptModelError,
    );
  });

  it('refuses a signature that does not hold, and keys it does not trust', async () => {
    const { encoded, key } = await files(true);
    const other = await generateSigningKey();
    await expect(openModel(tampered(encoded, key.publicKey, other.publicKey))).rejects.toThrow('signature');
    await expect(openModel(encoded, { trustedKeys: [other.publicKey] })).rejects.toThrow('trusts');
    await expect(openModel((await files(false)).encoded, { trustedKeys: [key.publicKey] })).rejects.toThrow(
      'trusts',
    );
    expect(
      (await openModel(encoded, { trustedKeys: [key.publicKey] })).published.certificate.signature?.publicKey,
    ).toBe(key.publicKey);
  });
});

describe('a model folder that is replaced while it is fetched', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Answers from `before` until so many files were asked for, then from `after`. */
  const served = (before: ReadonlyMap<string, Uint8Array>, after: typeof before, swapAt: number) => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (address: string) => {
      const name = address.split('/').at(-1)!;
      const files = asked.push(name) > swapAt ? after : before;
      return new Response(files.get(name) as Uint8Array<ArrayBuffer>);
    });
    return asked;
  };

  it('is fetched again', async () => {
    const [before, after] = [(await files(false)).encoded, (await files(false, 4)).encoded];
    const asked = served(before, after, 1);
    const { published } = await fetchModel('/models/shop/');
    expect(published.model).toMatchObject({ offset: 4 });
    // Four, the certificate once more, and four again.
    expect(asked).toHaveLength(9);
  });

  it('is called corrupt where the certificate is the same as before', async () => {
    const { encoded } = await files(false);
    const wrong = new Map([...encoded, ['CERTIFICATE.md', Uint8Array.of(1, 2, 3)]]);
    const asked = served(wrong, wrong, 0);
    await expect(fetchModel('/models/shop/')).rejects.toThrow(CorruptModelError);
    expect(asked).toHaveLength(5);
  });

  it('that never stands still is given up', async () => {
    let [made, asked] = [10, 0];
    const { encoded } = await files(false);
    vi.stubGlobal('fetch', async (address: string) => {
      const name = address.split('/').at(-1)!;
      const bytes =
        name === 'certificate.json' ? (await files(false, ++made)).encoded.get(name) : encoded.get(name);
      asked++;
      return new Response(bytes as Uint8Array<ArrayBuffer>);
    });
    await expect(fetchModel('/models/shop/')).rejects.toThrow(CorruptModelError);
    // Four, and twice the certificate and four again.
    expect(asked).toBe(14);
  });
});
