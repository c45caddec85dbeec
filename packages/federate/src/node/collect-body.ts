import type { IncomingMessage } from 'node:http';
import { concatBytes } from '../bytes.js';

/** What a message says its body's length is; undefined where it does not say. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/**
 * A body as it comes, in one piece; undefined when it is longer than allowed. Where its length is declared
 * the pieces are put in their place at once, so that none is kept.
 */
export async function collectBody(
  stream: AsyncIterable<Uint8Array>,
  declared: number | undefined,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (declared !== undefined && declared > most) return undefined;
  const whole = declared === undefined ? undefined : new Uint8Array(declared);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    if (length + piece.length > (declared ?? most)) return undefined;
    if (whole === undefined) pieces.push(piece);
    else whole.set(piece, length);
    length += piece.length;
  }
  if (whole === undefined) return concatBytes(pieces);
  return length === whole.length ? whole : whole.slice(0, length);
}
