import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { canonicalJson } from '@hushrec/model/signing';
import { hmacSha256 } from '@hushrec/privacy';
import { concatBytes, fromHex, toHex, utf8 } from './bytes.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError } from './federation-errors.js';
import { createSealed, readSealed, writeSealed } from './sealed-record.js';

// Shares are sealed with HPKE (RFC 9180) in base mode, by the host's own X25519, HMAC and AES.
const kem = new DhkemX25519HkdfSha256();
const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new Aes128Gcm() });
const INFO = utf8('hushrec-share-1');

/** Bytes of the encapsulated key, which come first. */
const ENCAPSULATED = 32;
/** What a seal adds to a share: the encapsulated key and the tag. */
export const SEAL_BYTES = ENCAPSULATED + 16;

/**
 * The key to which shares for one aggregator are sealed in one run (X25519, raw bytes, hexadecimal). Whoever
 * has its private half and one share of the others' reads contributions, so it lives no longer than the run.
 */
export interface SealingKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A new key; the same from the same 32 bytes, for tests. */
export async function newSealingKey(
  seed: Uint8Array<ArrayBuffer> = crypto.getRandomValues(new Uint8Array(32)),
): Promise<SealingKey> {
  const { publicKey, privateKey } = await kem.deriveKeyPair(seed.buffer);
  return {
    publicKey: toHex(new Uint8Array(await kem.serializePublicKey(publicKey))),
    privateKey: toHex(new Uint8Array(await kem.serializePrivateKey(privateKey))),
  };
}

/** What a share is for: it opens as this, and as nothing else. */
export interface SharePlace {
  /** The charter's hash. */
  readonly charter: string;
  readonly exchange: number;
  readonly report: string;
  /** Hash of the log's last entry. */
  readonly head: string;
  /** The aggregator's place in the charter: which share it is. */
  readonly share: number;
  /** Public half of the key it is sealed to. */
  readonly recipient: string;
}

function bound({ charter, exchange, report, head, share, recipient }: SharePlace) {
  return utf8(canonicalJson([charter, exchange, report, head, share, recipient]));
}

/**
 * A share that its aggregator alone can read. The ephemeral key is new each time, so that sealing the same
 * share again, after a crash, needs no memory: the aggregator compares what is inside.
 */
export async function sealShare(share: Uint8Array, place: SharePlace): Promise<Uint8Array<ArrayBuffer>> {
  const recipientPublicKey = await imported('public', place.recipient);
  const { enc, ct } = await suite.seal({ recipientPublicKey, info: INFO }, share.slice(), bound(place));
  return concatBytes([new Uint8Array(enc), new Uint8Array(ct)]);
}

/** The share, if it was sealed to this key for this place. */
export async function openShare(
  sealed: Uint8Array<ArrayBuffer>,
  place: Omit<SharePlace, 'recipient'>,
  { publicKey, privateKey }: SealingKey,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (sealed.length < SEAL_BYTES) return undefined;
  const recipientKey = await imported('private', privateKey);
  try {
    const opened = await suite.open(
      { recipientKey, enc: sealed.slice(0, ENCAPSULATED), info: INFO },
      sealed.slice(ENCAPSULATED),
      bound({ ...place, recipient: publicKey }),
    );
    return new Uint8Array(opened);
  } catch {
    return undefined;
  }
}

/** The last keys that were used: a run uses the same ones for every report. */
const importedKeys = new Map<string, Promise<CryptoKey>>();
const MOST_KEYS = 64;

function imported(half: 'public' | 'private', key: string): Promise<CryptoKey> {
  const name = `${half} ${key}`;
  const known = importedKeys.get(name);
  if (known !== undefined) return known;
  const bytes = fromHex(key);
  const importing = half === 'public' ? kem.deserializePublicKey(bytes) : kem.deserializePrivateKey(bytes);
  if (importedKeys.size >= MOST_KEYS) importedKeys.delete(importedKeys.keys().next().value!);
  importedKeys.set(name, importing);
  importing.catch(() => importedKeys.delete(name));
  return importing;
}

/**
 * What norm proofs are checked with: the X25519 secret that two aggregators share, each by its own key of
 * this run and the other's. Whoever hands in must not know it.
 */
export async function verifyKey(
  { privateKey }: SealingKey,
  others: string,
  charter: string,
): Promise<Uint8Array> {
  const [own, other] = await Promise.all([imported('private', privateKey), imported('public', others)]);
  const shared = await crypto.subtle.deriveBits({ name: 'X25519', public: other }, own, 256);
  return hmacSha256(new Uint8Array(shared), JSON.stringify(['hushrec-verify-key-1', charter]));
}

/** As it lies in the aggregator's folder of the run. Its private half is gone when the run has ended. */
interface KeptKey {
  readonly publicKey: string;
  readonly privateKey: string | null;
}
const FILE = 'sealing-key';

/** The key of a run, made when the charter is signed: the same when it is signed again. */
export async function openSealingKey(folder: DurableFolder): Promise<SealingKey> {
  const made = await newSealingKey();
  if (await createSealed(folder, FILE, made satisfies KeptKey)) return made;
  const kept = await readSealed<KeptKey>(folder, FILE);
  if (kept?.privateKey == null) throw new CharterError('its run has ended here.', 'Write a new one.');
  return { publicKey: kept.publicKey, privateKey: kept.privateKey };
}

/**
 * The key of a run under way; undefined where the run has ended.
 *
 * @throws CharterError where the folder has no key, or another than the one that was signed
 */
export async function readSealingKey(folder: DurableFolder, signed: string): Promise<SealingKey | undefined> {
  const kept = await readSealed<KeptKey>(folder, FILE);
  if (kept?.publicKey !== signed)
    throw new CharterError(
      'shares of its run are sealed to a key that is not in this folder.',
      'Start the aggregator with the folder that signed the charter (`hushrec federate sign`); without that key nobody can open them.',
    );
  const { publicKey, privateKey } = kept;
  return privateKey === null ? undefined : { publicKey, privateKey };
}

/** The run has ended: what was sealed can be opened by nobody any more. */
export async function forgetSealingKey(folder: DurableFolder, publicKey: string): Promise<void> {
  await writeSealed(folder, FILE, { publicKey, privateKey: null } satisfies KeptKey);
}
