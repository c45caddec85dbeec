import { canonicalJson } from './canonical-json.js';
import type { Certificate } from './certificate.js';
import { fromHex, sha256Hex, toHex } from './content-hash.js';

/** An Ed25519 key pair; the public half is raw bytes in hexadecimal, as certificates carry it. */
export interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: string;
}

/** A certificate that must not be signed, or a key that cannot be used. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
  readonly kind = 'usage';
}

/** SHA-256 of the canonical JSON without `hash` and `signature`. */
export async function certificateHash(certificate: object): Promise<string> {
  const { hash: _hash, signature: _signature, ...covered } = certificate as Partial<Certificate>;
  return sha256Hex(canonicalJson(covered));
}

/** Whether the signature was made over this certificate by the key it names. That key may be anyone's. */
export async function signatureHolds(certificate: Certificate): Promise<boolean> {
  const { signature } = certificate;
  if (signature?.algorithm !== 'Ed25519') return false;
  try {
    const key = await crypto.subtle.importKey('raw', fromHex(signature.publicKey), 'Ed25519', true, [
      'verify',
    ]);
    return await crypto.subtle.verify('Ed25519', key, fromHex(signature.value), signedBytes(certificate));
  } catch {
    return false;
  }
}

/** What a signature is over: the canonical JSON of everything but itself. */
export function signedBytes(certificate: object): Uint8Array<ArrayBuffer> {
  const { signature: _signature, ...signed } = certificate as Partial<Certificate>;
  return new TextEncoder().encode(canonicalJson(signed));
}

/** A fresh key pair. */
export async function generateSigningKey(): Promise<SigningKey> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return { privateKey: pair.privateKey, publicKey: toHex(new Uint8Array(raw)) };
}

/** The private key as PKCS #8 PEM, which OpenSSL and other tools read. Keep it secret. */
export async function exportSigningKey(key: SigningKey): Promise<string> {
  const der = new Uint8Array(await crypto.subtle.exportKey('pkcs8', key.privateKey));
  const base64 = btoa(String.fromCharCode(...der));
  return `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`;
}

/** Reads an Ed25519 private key in PKCS #8 PEM, for example from `openssl genpkey -algorithm ed25519`. */
export async function importSigningKey(pem: string): Promise<SigningKey> {
  const base64 = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (base64 === undefined) throw new SigningError('The key is not a PKCS #8 private key in PEM form.');
  try {
    const der = Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0));
    const privateKey = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', true, ['sign']);
    const { x } = await crypto.subtle.exportKey('jwk', privateKey);
    const publicKey = atob((x ?? '').replace(/-/g, '+').replace(/_/g, '/'));
    return {
      privateKey,
      publicKey: toHex(Uint8Array.from(publicKey, (character) => character.charCodeAt(0))),
    };
  } catch (error) {
    throw new SigningError('The key is not an Ed25519 private key in PKCS #8.', { cause: error });
  }
}
