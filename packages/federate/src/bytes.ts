import { toHex } from '@hushrec/model/signing';
import { hostSha256 } from '@hushrec/privacy';

export { fromHex, toHex } from '@hushrec/model/signing';

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** SHA-256 by the host, in hexadecimal. */
export async function hashHex(bytes: Uint8Array | string): Promise<string> {
  const input = typeof bytes === 'string' ? utf8(bytes) : bytes;
  return toHex(await hostSha256(input));
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
