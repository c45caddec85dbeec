import { CorruptModelError, generateSigningKey } from '@hushrec/model';
import { describe, expect, it } from 'vitest';
import { certify } from '../../../packages/train/src/publish/certify.js';
import { encodePublished } from '../../../packages/train/src/publish/encode-published.js';
import { openModel } from './client.js';

const plan = {
  unit: 'user',
  relation: 'add-remove',
  released: 'item effects',
  epsilon: Infinity,
  delta: 0,
  accountant: 'none',
  releases: [],
} as const;

async function files(signed: boolean) {
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
      model: { kind: 'baseline', feedback: 'explicit', offset: 3, itemBias: Float32Array.of(1, -1) },
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
