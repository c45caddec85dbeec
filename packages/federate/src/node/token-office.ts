import { constants, createPrivateKey, generateKeyPair, privateEncrypt, publicDecrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from '@hushrec/model/signing';
import { RSA_BYTES } from '../blind-rsa.js';
import { concatBytes, hashHex, toHex, utf8 } from '../bytes.js';
import { type Charter, mostExchanges, type SignedCharter, signTokenKeys } from '../charter.js';
import type { DurableFolder } from '../durable-folder.js';
import { CharterError, RefusedError } from '../federation-errors.js';
import { NO_SUCH_RUN, refusal, type WireHandler } from '../http/wire.js';
import { createSealed, readSealed } from '../sealed-record.js';

/** One key of RSA, for one exchange of one run. */
interface TokenKey {
  readonly modulus: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
}

const FILE = 'token-keys';

async function newTokenKey(): Promise<TokenKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 8 * RSA_BYTES });
  const { n = '' } = privateKey.export({ format: 'jwk' });
  return {
    modulus: Buffer.from(n, 'base64url').toString('hex'),
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

/**
 * Signs a charter as its issuer, with a fresh key for every exchange that there can be: a token of one
 * exchange is none of another. The keys are the same when it is signed again.
 */
export async function signAsIssuer(
  signed: SignedCharter,
  key: SigningKey,
  folder: DurableFolder,
): Promise<SignedCharter> {
  let kept = await readSealed<readonly TokenKey[]>(folder, FILE);
  if (kept === undefined) {
    const made = await Promise.all(Array.from({ length: mostExchanges(signed.charter) }, newTokenKey));
    kept = (await createSealed(folder, FILE, made))
      ? made
      : (await readSealed<readonly TokenKey[]>(folder, FILE))!;
  }
  return signTokenKeys(
    signed,
    key,
    kept.map(({ modulus }) => modulus),
  );
}

/**
 * Whoever gives one person one token an exchange. A person is who holds an invitation: a secret code that the
 * operator gives to each of its people, by whatever way it knows them. The office learns that an invitation
 * was used, never the tokens. Everything is durable before it is answered.
 */
export class TokenOffice {
  readonly #charter: Charter;
  readonly #folder: DurableFolder;
  readonly #keys: readonly TokenKey[];
  #invited = new Set<string>();

  private constructor(charter: Charter, folder: DurableFolder, keys: readonly TokenKey[]) {
    this.#charter = charter;
    this.#folder = folder;
    this.#keys = keys;
  }

  /** @throws CharterError where the folder has other keys than those that were signed */
  static async open({ charter, tokens }: SignedCharter, folder: DurableFolder): Promise<TokenOffice> {
    const keys = await readSealed<readonly TokenKey[]>(folder, FILE);
    if (keys === undefined || tokens?.tokenKeys.some((modulus, at) => keys[at]?.modulus !== modulus))
      throw new CharterError(
        'the keys of its tokens are not in this folder.',
        'Give the folder that signed the charter as its issuer (`hushrec federate sign`).',
      );
    const office = new TokenOffice(charter, folder, keys);
    await office.#readInvited();
    return office;
  }

  async #readInvited(): Promise<void> {
    for (const name of await this.#folder.list('invited-'))
      for (const hash of (await readSealed<readonly string[]>(this.#folder, name)) ?? [])
        this.#invited.add(hash);
  }

  /**
   * New invitations, one a person; only their hashes are kept. @throws RefusedError beyond `mostPeople`
   */
  async invite(count: number): Promise<string[]> {
    const codes = Array.from({ length: count }, () => toHex(crypto.getRandomValues(new Uint8Array(16))));
    const hashes = await Promise.all(codes.map((code) => hashHex(code)));
    for (;;) {
      await this.#readInvited();
      const left = this.#charter.mostPeople - this.#invited.size;
      if (count > left)
        throw new RefusedError(
          403,
          `The charter is for ${this.#charter.mostPeople} people, and ${this.#invited.size} are invited: ${left} more can be.`,
        );
      const place = (await this.#folder.list('invited-')).length;
      if (await createSealed(this.#folder, `invited-${String(place).padStart(6, '0')}.json`, hashes))
        return codes;
    }
  }

  /** Signs what one invitation asks for: once, and the same again. @throws RefusedError */
  async sign(invitation: string, blinded: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const code = await hashHex(invitation);
    // Invitations may have been made by another process since.
    if (!this.#invited.has(code)) await this.#readInvited();
    if (!this.#invited.has(code)) throw new RefusedError(403, 'This is not an invitation to this run.');
    if (blinded.length !== RSA_BYTES * this.#keys.length)
      throw new RefusedError(
        400,
        `${this.#keys.length} blinded messages of ${RSA_BYTES} bytes are expected.`,
      );
    const request = await hashHex(blinded);
    const name = `used-${code}`;
    if (!(await this.#folder.create(name, utf8(request)))) {
      const before = new TextDecoder().decode(await this.#folder.read(name));
      if (before !== request)
        throw new RefusedError(403, 'This invitation was used before, by another device or browser.');
    }
    return concatBytes(
      this.#keys.map((key, at) => signBlinded(key, blinded.slice(RSA_BYTES * at, RSA_BYTES * (at + 1)))),
    );
  }
}

/** RSA without padding, by OpenSSL and with its protection against timing; checked before it leaves. */
function signBlinded({ privateKey }: TokenKey, blinded: Uint8Array): Uint8Array {
  const key = createPrivateKey(privateKey);
  const padding = constants.RSA_NO_PADDING;
  let signature: Buffer;
  try {
    signature = privateEncrypt({ key, padding }, blinded);
  } catch {
    throw new RefusedError(400, 'A blinded message is not below its modulus.');
  }
  // A fault in the arithmetic would give the key away (RFC 9474, 4.3).
  if (!publicDecrypt({ key, padding }, signature).equals(blinded))
    throw new Error('A signature of RSA was wrong and was not given away.');
  return signature;
}

/** The office behind HTTP: `POST /v1/{run}/tokens` with the invitation in a header. */
export function tokenRoutes({ run }: Charter, office: Pick<TokenOffice, 'sign'>): WireHandler {
  return async ({ method, path, headers, body }) => {
    const [version, of, what] = path;
    if (version !== 'v1' || of !== run) return refusal(404, NO_SUCH_RUN);
    if (method !== 'POST' || what !== 'tokens') return refusal(404, 'There is nothing here.');
    try {
      const answer = await office.sign(headers['hushrec-invitation'] ?? '', body);
      return { status: 200, body: answer, type: 'application/octet-stream' };
    } catch (error) {
      if (error instanceof RefusedError) return refusal(error.status, error.message);
      throw error;
    }
  };
}
