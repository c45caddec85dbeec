// What the proof needs of a charter and its cards, each refused where it is missing.
import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utf8 } from './bytes.js';
import { fingerprint, signCard } from './card.js';
import { type Catalogue, catalogueHash } from './catalogue.js';
import { faultInCharter, readCharter, seatOf } from './charter.js';
import { charterWords } from './charter-words.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import type { Fetcher } from './http/wire.js';
import { openRun } from './open-run.js';
import { smallCharter } from './small-charter.test.data.js';

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3, 4, 5].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

const card = (name: string, at: number, url = `https://${name}.example:8441`, key = keys[at]) =>
  signCard({ name, url, certificate: `certificate of ${name}` }, key);
const cards = (url?: string) => Promise.all([card('north', 0, url), card('south', 1)]);
const draft = async (change: Partial<CharterRequest> = {}) =>
  smallCharter(keys, { engine }, { aggregators: await cards(), ...change });

describe('a charter is refused', () => {
  it.each([
    ['http://north.example:8441', 'without TLS'],
    ['http://127.0.0.1.example:8441', 'without TLS'],
    ['ftp://north.example', 'no address of the form'],
    ['north.example', 'no address of the form'],
    ['https://south.example:8441', 'the same address'],
    ['https://SOUTH.example:8441/', 'the same address'],
  ])('with an aggregator at %s', async (url, words) => {
    await expect(draft({ aggregators: await cards(url) })).rejects.toThrow(words);
  });

  it('with a coordinator without TLS', async () => {
    await expect(draft({ coordinator: await card('board', 2, 'http://board.example') })).rejects.toThrow(
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
    await draft({ aggregators: await cards(`http://${host}:8441`) });
});

describe('a card', () => {
  /** Other cards under north's key than the one in the charter, and what is said then. */
  const others = async () => {
    const north = await card('north', 0);
    return [
      [
        await card('north', 0, 'https://relay.example'),
        'it says that north is at https://north.example:8441, and north’s card says https://relay.example.',
      ],
      [{ ...north, certificate: 'other' }, 'another TLS certificate than north’s card'],
      [{ ...north, name: 'nord' }, 'it calls north whose card says nord'],
    ] as const;
  };

  it('that is trusted must be the one in the charter, with all it says', async () => {
    const signed = await draft();
    await expect(readCharter(signed, [await card('north', 0)])).resolves.toBeDefined();
    for (const [other, words] of await others())
      await expect(readCharter(signed, [other])).rejects.toThrow(words);
  });

  it('of one’s own must be the one in the charter', async () => {
    const { charter } = await draft();
    expect(seatOf(charter, await card('south', 1))).toBe(1);
    for (const [other, words] of await others()) expect(() => seatOf(charter, other)).toThrow(words);
    const west = await card('west', 3);
    expect(() => seatOf(charter, west)).toThrow('west is not one of its aggregators');
  });

  it('is signed by its own key, or the charter is refused', async () => {
    const [north, south] = await cards();
    const forged = await card('north', 0, undefined, keys[3]);
    for (const wrong of [
      { ...north, url: 'https://relay.example' },
      { ...north, certificate: 'a relay’s' },
      { ...north, signature: forged.signature },
      { ...north, signature: '' },
    ]) {
      const signed = await draft({ aggregators: [wrong, south] });
      await expect(readCharter(signed, [keys[0].publicKey])).rejects.toThrow(
        'the card of north in it is not signed by north’s key.',
      );
    }
  });

  it('is in the words of the charter, with address and fingerprint', async () => {
    const { charter } = await draft();
    const words = charterWords(charter).join('\n');
    for (const { name, url, publicKey } of charter.aggregators)
      expect(words).toContain(`${name} is at ${url}, key ${fingerprint(publicKey)}`);
    expect(fingerprint('0123456789abcdef'.repeat(4))).toBe('0123 4567 89ab cdef 0123 4567 89ab cdef');
  });
});

it('a device asks whom it believes, at the address in the charter, before it is charged', async () => {
  const catalogue: Catalogue = {
    format: 'hushrec-catalogue-1',
    scale: { min: 1, max: 5, step: 1 },
    itemIds: ['a', 'b', 'c', 'd', 'e', 'f'],
  };
  // The writer of the charter has made a card of his own for the address that people believe.
  const signed = await draft({
    catalogue: { itemCount: 6, scale: catalogue.scale, hash: await catalogueHash(catalogue) },
  });
  const asked: string[] = [];
  const shown =
    (own: unknown): Fetcher =>
    async (url, { method }) => {
      asked.push(`${method} ${url}`);
      const answer = url.endsWith('/v1/charter')
        ? signed
        : url.endsWith('/catalogue')
          ? catalogue
          : url.endsWith('/v1/card')
            ? own
            : { reason: 'There is nothing here.' };
      return {
        status: own === undefined && url.endsWith('/card') ? 404 : 200,
        body: utf8(JSON.stringify(answer)),
      };
    };
  const { name, url } = signed.charter.aggregators[0];
  for (const [own, words] of [
    [await card(name, 5, url), 'another key than'],
    [{ ...signed.charter.aggregators[0], signature: '00' }, 'shows no card of its own'],
    [undefined, 'shows no card of its own'],
  ] as const) {
    const folder = new MemoryFolder();
    const run = await openRun('https://board.example', shown(own));
    const taking = run.takePart({
      history: [],
      engine,
      folder,
      trusted: [keys[0].publicKey],
      mostEpsilon: 100,
      mostDelta: 1,
    });
    await expect(taking).rejects.toThrow(words);
    expect(await folder.list('')).toEqual([]);
  }
  expect(new Set(asked)).toEqual(
    new Set([
      'GET https://board.example/v1/charter',
      `GET https://board.example/v1/${signed.charter.run}/catalogue`,
      `GET ${url}/v1/card`,
    ]),
  );
});
