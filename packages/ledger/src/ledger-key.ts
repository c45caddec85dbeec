import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** The format of what a ledger stores. A ledger of another format is refused, never guessed at. */
export const ledgerFormat = 'hushrec-ledger-2';

/**
 * The secret of a ledger: 32 random bytes, drawn when it is made and kept in it. What depends on people's
 * data (which job, which snapshot, which people) is stored only as a keyed hash, so that nobody without the
 * ledger can test a guess.
 */
export type LedgerKey = Uint8Array;

/**
 * `previous` of the first entry. It covers the key, so that a key that was damaged or exchanged is noticed.
 */
export function chainStart(key: LedgerKey): string {
  return createHash('sha256').update(`${ledgerFormat} chain\n`).update(key).digest('hex');
}

/** HMAC-SHA-256 of a text for one purpose, in hexadecimal. */
export function keyedHash(key: LedgerKey, purpose: string, content: string | Uint8Array): string {
  return createHmac('sha256', key).update(`${purpose}\n`).update(content).digest('hex');
}

/** Whether a row beside the chain is what this ledger wrote. */
export function isKeyedHash(
  key: LedgerKey,
  purpose: string,
  content: string | Uint8Array,
  hash: string,
): boolean {
  const expected = Buffer.from(keyedHash(key, purpose, content), 'hex');
  const given = Buffer.from(hash, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
