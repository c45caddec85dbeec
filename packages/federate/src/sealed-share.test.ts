import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { expect, it } from 'vitest';
import { fromHex, hashHex, toHex } from './bytes.js';
import { MemoryFolder } from './durable-folder.js';
import {
  forgetSealingKey,
  newSealingKey,
  openSealingKey,
  openShare,
  readSealingKey,
  SEAL_BYTES,
  type SharePlace,
  sealShare,
} from './sealed-share.js';

/** RFC 9180, A.1.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, base mode, first message. */
const vector = {
  info: '4f6465206f6e2061204772656369616e2055726e',
  ikmR: '6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037',
  pkRm: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
  skRm: '4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8',
  enc: '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431',
  aad: '436f756e742d30',
  pt: '4265617574792069732074727574682c20747275746820626561757479',
  ct: 'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a',
};

it('keys and seals are those of RFC 9180', async () => {
  const key = await newSealingKey(fromHex(vector.ikmR));
  expect(key).toEqual({ publicKey: vector.pkRm, privateKey: vector.skRm });
  const kem = new DhkemX25519HkdfSha256();
  const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new Aes128Gcm() });
  const opened = await suite.open(
    {
      recipientKey: await kem.deserializePrivateKey(fromHex(key.privateKey)),
      enc: fromHex(vector.enc),
      info: fromHex(vector.info),
    },
    fromHex(vector.ct),
    fromHex(vector.aad),
  );
  expect(toHex(new Uint8Array(opened))).toBe(vector.pt);
});

it('a share opens at its place and at no other, and never where a bit was changed', async () => {
  const key = await newSealingKey();
  const [charter, report, head] = await Promise.all(
    ['charter', 'report', 'head'].map((text) => hashHex(text)),
  );
  const place: SharePlace = { charter, exchange: 3, report, head, share: 1, recipient: key.publicKey };
  const share = crypto.getRandomValues(new Uint8Array(100));
  const sealed = await sealShare(share, place);
  expect(sealed).toHaveLength(share.length + SEAL_BYTES);
  expect(await openShare(sealed, place, key)).toEqual(share);
  for (const other of [
    { charter: head },
    { exchange: 4 },
    { report: head },
    { head: report },
    { share: 0 },
  ] satisfies Partial<SharePlace>[])
    expect(await openShare(sealed, { ...place, ...other }, key), JSON.stringify(other)).toBeUndefined();
  expect(await openShare(sealed, place, await newSealingKey()), 'another key').toBeUndefined();
  // The recipient's key is bound by itself, not only by the encapsulation.
  const misnamed = { ...key, publicKey: (await newSealingKey()).publicKey };
  expect(await openShare(sealed, place, misnamed)).toBeUndefined();
  for (const at of [0, 31, 32, sealed.length - 1]) {
    const touched = sealed.slice();
    touched[at] ^= 1;
    expect(await openShare(touched, place, key), `byte ${at}`).toBeUndefined();
  }
  for (const length of [0, SEAL_BYTES - 1])
    expect(await openShare(new Uint8Array(length), place, key)).toBeUndefined();
});

it('sealed twice, a share gives other bytes, and the same inside', async () => {
  const key = await newSealingKey();
  const place = { charter: '', exchange: 0, report: '', head: '', share: 0, recipient: key.publicKey };
  const share = new Uint8Array(32);
  const [one, other] = [await sealShare(share, place), await sealShare(share, place)];
  expect(one.subarray(0, 32)).not.toEqual(other.subarray(0, 32));
  expect(one.subarray(32)).not.toEqual(other.subarray(32));
  for (const sealed of [one, other]) expect(await openShare(sealed, place, key)).toEqual(share);
});

it('the key of a run is made once, kept, and gone when the run has ended', async () => {
  const folder = new MemoryFolder();
  await expect(readSealingKey(folder, '00')).rejects.toThrow('not in this folder');
  const key = await openSealingKey(folder);
  expect(await openSealingKey(folder), 'signed again').toEqual(key);
  expect(await readSealingKey(folder, key.publicKey)).toEqual(key);
  const another = (await newSealingKey()).publicKey;
  await expect(readSealingKey(folder, another)).rejects.toThrow('not in this folder');
  await forgetSealingKey(folder, key.publicKey);
  expect(await readSealingKey(folder, key.publicKey)).toBeUndefined();
  await expect(openSealingKey(folder)).rejects.toThrow('has ended here');
  const left = [...folder.files.values()].flat().map((bytes) => new TextDecoder().decode(bytes));
  expect(left.join('')).not.toContain(key.privateKey);
});
