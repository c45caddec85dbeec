import type { SigningKey } from '@hushrec/model/signing';
import { hmacSha256 } from '@hushrec/privacy';
import { type Credentials, reportCredentials, tokenMessage } from './admission.js';
import { type Blinding, blindMessage, RSA_BYTES, SALT_BYTES, unblind } from './blind-rsa.js';
import { concatBytes, fromHex, toHex } from './bytes.js';
import type { SignedCharter } from './charter.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError } from './federation-errors.js';
import { createSealed, readSealed, writeSealed } from './sealed-record.js';

/**
 * Whoever signs tokens for the one who holds an invitation: one blinded message an exchange, behind one
 * another.
 */
export interface TokenIssuer {
  sign(blinded: Uint8Array): Promise<Uint8Array>;
}

/** What a device keeps of its tokens. All but the signatures follows from the secret. */
interface KeptTokens {
  readonly secret: string;
  readonly tokens?: readonly string[];
}

/** DER of an Ed25519 private key (RFC 8410) without its 32 bytes. */
const PKCS8 = fromHex('302e020100300506032b657004220420');

async function keyOfSeed(seed: Uint8Array): Promise<SigningKey> {
  const bytes = concatBytes([PKCS8, seed]);
  const privateKey = await crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', true, ['sign']);
  const { x = '' } = await crypto.subtle.exportKey('jwk', privateKey);
  const raw = atob(x.replaceAll('-', '+').replaceAll('_', '/'));
  return { privateKey, publicKey: toHex(Uint8Array.from(raw, (sign) => sign.charCodeAt(0))) };
}

/** A key and a blinding for each exchange: the same from the same secret, unrelated to one another. */
async function wishes({ hash, tokens }: SignedCharter, secret: Uint8Array) {
  const draw = (purpose: string, exchange: number, length: number) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
      hmacSha256(secret, JSON.stringify([`hushrec-token-${purpose}-1`, hash, exchange, block])),
    );
    return concatBytes(blocks).subarray(0, length);
  };
  return Promise.all(
    tokens!.tokenKeys.map(async (modulus, exchange) => {
      const key = await keyOfSeed(draw('key', exchange, 32));
      const message = tokenMessage(hash, exchange, key.publicKey);
      // Sixteen bytes more than the modulus: the factor is uniform up to 2⁻¹²⁸.
      const factor = draw('factor', exchange, RSA_BYTES + 16);
      const blinding: Blinding = { salt: draw('salt', exchange, SALT_BYTES), factor };
      return { key, modulus, message, blinding };
    }),
  );
}

/**
 * Tokens for every exchange that a run can have: those that are kept, or new ones from the issuer. The issuer
 * learns who asked, and nothing of the tokens. The same folder asks for the same tokens, so that an answer
 * that was lost on the way can be asked for again.
 *
 * @throws CharterError where there are none and nobody gives any
 */
export async function openTokens(
  signed: SignedCharter,
  folder: DurableFolder,
  issuer: TokenIssuer | undefined,
): Promise<Credentials> {
  const { charter, hash } = signed;
  const issuerName = charter.admission.kind === 'issuer' ? charter.admission.issuer.name : '';
  const name = `tokens-${hash}.json`;
  let kept = await readSealed<KeptTokens>(folder, name);
  if (kept?.tokens === undefined && issuer === undefined)
    throw new CharterError(
      `it admits those whom ${issuerName} has invited, and no invitation was given.`,
      `Ask ${issuerName} for one. Nothing was charged.`,
    );
  if (kept === undefined) {
    const made: KeptTokens = { secret: toHex(crypto.getRandomValues(new Uint8Array(32))) };
    kept = (await createSealed(folder, name, made)) ? made : (await readSealed<KeptTokens>(folder, name))!;
  }
  const wished = await wishes(signed, fromHex(kept.secret));
  let { tokens } = kept;
  if (tokens === undefined) {
    const blinded = await Promise.all(
      wished.map(({ modulus, message, blinding }) => blindMessage(modulus, message, blinding)),
    );
    const answer = await issuer!.sign(concatBytes(blinded));
    const signatures = await Promise.all(
      wished.map(({ modulus, message, blinding }, at) =>
        unblind(modulus, message, blinding, answer.slice(RSA_BYTES * at, RSA_BYTES * (at + 1))),
      ),
    );
    tokens = signatures.filter((each) => each !== undefined);
    if (answer.length !== RSA_BYTES * wished.length || tokens.length !== wished.length)
      throw new CharterError(
        `${issuerName} answered with something that is no token of its keys.`,
        `Ask ${issuerName} what happened. Nothing was charged.`,
      );
    await writeSealed(folder, name, { ...kept, tokens } satisfies KeptTokens);
  }
  const own = tokens;
  return (exchange, report, share, body) => {
    const { key } = wished[exchange];
    return reportCredentials(`${key.publicKey} ${own[exchange]}`, key, hash, exchange, report, share, body);
  };
}
