// What the proof needs of a charter and its cards, each refused where it is missing.
import { generateSigningKey, type SigningKey } from '@hushrec/model';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from './card.js';
import { faultInCharter, readCharter, seatOf } from './charter.js';
import { charterWords } from './charter-words.js';
import type { CharterRequest } from './draft-charter.js';
import { smallCharter } from './small-charter.test.data.js';

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3, 4, 5].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

const office = (name: string, at: number, url = `https://${name}.example:8441`) => ({
  name,
  url,
  publicKey: keys[at].publicKey,
  certificate: `certificate of ${name}`,
});
const draft = (change: Partial<CharterRequest> = {}) =>
  smallCharter(keys, { engine }, { aggregators: [office('north', 0), office('south', 1)], ...change });

describe('a charter is refused', () => {
  it.each([
    ['http://north.example:8441', 'without TLS'],
    ['http://127.0.0.1.example:8441', 'without TLS'],
    ['ftp://north.example', 'no address of the form'],
    ['north.example', 'no address of the form'],
    ['https://south.example:8441', 'the same address'],
    ['https://SOUTH.example:8441/', 'the same address'],
  ])('with an aggregator at %s', async (url, words) => {
    const aggregators = [office('north', 0, url), office('south', 1)];
    await expect(draft({ aggregators })).rejects.toThrow(words);
  });

  it('with a coordinator without TLS', async () => {
    await expect(draft({ coordinator: office('board', 2, 'http://board.example') })).rejects.toThrow(
      'without TLS',
    );
  });

  it('with one party under two names, or two under one', async () => {
    const { charter } = await draft();
    const party = (name: string, at: number) => ({ name, publicKey: keys[at].publicKey });
    const among = (...parties: ReturnType<typeof party>[]) =>
      faultInCharter({ ...charter, admission: { kind: 'parties', parties } });
    expect(among(party('a', 3), party('b', 4))).toBeUndefined();
    expect(among(party('a', 3), party('b', 3))).toContain('the same key');
    expect(among(party('a', 3), party('a', 4))).toContain('the same name');
  });

  it('where parties add the noise and no aggregator is trusted', async () => {
    const parties = [3, 4, 5].map((at) => ({ name: `party ${at}`, publicKey: keys[at].publicKey }));
    const signed = await draft({
      noise: { by: 'parties', honestNeeded: 2 },
      admission: { kind: 'parties', parties },
      leastReports: 3,
    });
    const trusted = parties.map(({ publicKey }) => publicKey);
    await expect(readCharter(signed, trusted)).rejects.toThrow(
      'it needs 1 honest of north, south, and you trust 0 of them.',
    );
    await expect(readCharter(signed, [...trusted.slice(1), keys[0].publicKey])).resolves.toBeDefined();
    await expect(readCharter(signed, [trusted[0], keys[0].publicKey])).rejects.toThrow('you trust 1 of them');
  });
});

it('addresses of this machine may be without TLS: nobody is on the way', async () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    await draft({ aggregators: [office('north', 0, `http://${host}:8441`), office('south', 1)] });
});

describe('a card', () => {
  const relay = () => office('north', 0, 'https://relay.example');
  const others = () =>
    [
      [
        relay(),
        'it says that north is at https://north.example:8441, and north’s card says https://relay.example.',
      ],
      [{ ...office('north', 0), certificate: 'other' }, 'another TLS certificate than north’s card'],
      [{ ...office('nord', 0), url: office('north', 0).url }, 'it calls north whose card says nord'],
    ] as const;

  it('that is trusted must be the one in the charter, with all it says', async () => {
    const signed = await draft();
    await expect(readCharter(signed, [office('north', 0)])).resolves.toBeDefined();
    for (const [card, words] of others()) await expect(readCharter(signed, [card])).rejects.toThrow(words);
  });

  it('of one’s own must be the one in the charter', async () => {
    const { charter } = await draft();
    expect(seatOf(charter, office('south', 1))).toBe(1);
    for (const [card, words] of others()) expect(() => seatOf(charter, card)).toThrow(words);
    expect(() => seatOf(charter, office('west', 3))).toThrow('west is not one of its aggregators');
  });

  it('is in the words of the charter, with address and fingerprint', async () => {
    const { charter } = await draft();
    const words = charterWords(charter).join('\n');
    for (const { name, url, publicKey } of charter.aggregators)
      expect(words).toContain(`${name} is at ${url}, key ${fingerprint(publicKey)}`);
    expect(fingerprint('0123456789abcdef'.repeat(4))).toBe('0123 4567 89ab cdef 0123 4567 89ab cdef');
  });
});
