import { canonicalJson, type SigningKey } from '@hushrec/model/signing';
import { fromHex, toHex, utf8 } from './bytes.js';

/**
 * A signature over the canonical JSON (RFC 8785) of what is said, with what kind of saying it is.
 * Hexadecimal.
 */
export interface NamedSignature {
  readonly publicKey: string;
  readonly value: string;
}

/** What a signature is about: keeps one kind of signed statement from passing for another. */
export type SignedKind = 'card' | 'charter' | 'entry' | 'report' | 'request' | 'proof';

function signedBytes(kind: SignedKind, content: unknown): Uint8Array<ArrayBuffer> {
  return utf8(canonicalJson({ content, format: 'hushrec-federated-1', kind }));
}

export async function signAs(kind: SignedKind, content: unknown, key: SigningKey): Promise<NamedSignature> {
  const value = await crypto.subtle.sign('Ed25519', key.privateKey, signedBytes(kind, content));
  return { publicKey: key.publicKey, value: toHex(new Uint8Array(value)) };
}

/** Whether the key named in the signature made it, over this content. That key may be anyone's. */
export async function signedBy(
  kind: SignedKind,
  content: unknown,
  { publicKey, value }: NamedSignature,
): Promise<boolean> {
  try {
    const key = await verifyingKey(publicKey);
    return await crypto.subtle.verify('Ed25519', key, fromHex(value), signedBytes(kind, content));
  } catch {
    return false;
  }
}

/**
 * The last keys that were asked for: aggregators' keys are asked for at every entry, by every participant of
 * a process.
 */
const verifyingKeys = new Map<string, Promise<CryptoKey>>();
const MOST_KEYS = 64;

function verifyingKey(publicKey: string): Promise<CryptoKey> {
  const known = verifyingKeys.get(publicKey);
  if (known !== undefined) return known;
  const key = crypto.subtle.importKey('raw', fromHex(publicKey), 'Ed25519', true, ['verify']);
  if (verifyingKeys.size >= MOST_KEYS) verifyingKeys.delete(verifyingKeys.keys().next().value!);
  verifyingKeys.set(publicKey, key);
  key.catch(() => verifyingKeys.delete(publicKey));
  return key;
}
