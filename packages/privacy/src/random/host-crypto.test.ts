import { expect, it } from 'vitest';
import { hostKeyStream, hostSha256 } from './host-crypto.js';

it.each([0, 1, 16, 17, 4096, 100_003])('gives what WebCrypto gives, for %d bytes', async (length) => {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)));
  expect(Uint8Array.from(await hostSha256(bytes))).toEqual(
    new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)),
  );
  const key = crypto.getRandomValues(new Uint8Array(32));
  const imported = await crypto.subtle.importKey('raw', key, 'AES-CTR', false, ['encrypt']);
  const counter = { name: 'AES-CTR', counter: new Uint8Array(16), length: 64 };
  const expected = new Uint8Array(await crypto.subtle.encrypt(counter, imported, new Uint8Array(length)));
  const stream = await hostKeyStream(key, length);
  expect(stream).toEqual(expected);
  expect((await hostKeyStream(key.slice().fill(1), length)).length).toBe(length);
});
