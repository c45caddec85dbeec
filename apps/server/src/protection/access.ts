import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** `viewer` reads; `operator` also sees data sets' counts and starts and stops training. */
export type Role = 'viewer' | 'operator';

/** Who may do what. Tokens are kept as hashes. */
export interface AccessList {
  /** Role of a request without a token; undefined when every request needs one. */
  readonly anonymous: Role | undefined;
  readonly tokens: readonly KnownToken[];
}

interface KnownToken {
  readonly role: Role;
  readonly sha256: Buffer;
  /** Who has it, for the ledger and the list of runs. */
  readonly name?: string;
}

/** A token file that cannot be used. */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly kind = 'usage';
  readonly file: string;
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.file = file;
  }
}

const shortestToken = 16;

/**
 * Reads lines `viewer TOKEN` and `operator TOKEN`, after which may stand who has it; `#` starts a comment. As
 * soon as there is a viewer token, reading needs one too.
 */
export function readTokenFile(file: string): AccessList {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TokenFileError(file, `it cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const tokens: KnownToken[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const match =
      /^\s*(viewer|operator)\s+([A-Za-z0-9._~+/=-]+)(?:\s+([\p{L}\p{N}][\p{L}\p{N}\p{P} ]{0,79}))?\s*$/u.exec(
        line,
      );
    if (match === null) {
      throw new TokenFileError(
        file,
        `line ${index + 1} is not "viewer TOKEN" or "operator TOKEN", with a name after it at most.`,
      );
    }
    if (match[2].length < shortestToken) {
      throw new TokenFileError(
        file,
        `the token in line ${index + 1} is shorter than ${shortestToken} characters.`,
      );
    }
    const name = match[3]?.trim();
    tokens.push({ role: match[1] as Role, sha256: hash(match[2]), ...(name && { name }) });
  }
  if (tokens.length === 0) throw new TokenFileError(file, 'it holds no token.');
  return { anonymous: tokens.some(({ role }) => role === 'viewer') ? undefined : 'viewer', tokens };
}

/** For a server on the own machine without a token file: anyone there reads, and one fresh token operates. */
export function freshOperatorToken(): { readonly access: AccessList; readonly token: string } {
  const token = randomBytes(24).toString('base64url');
  return { token, access: { anonymous: 'viewer', tokens: [{ role: 'operator', sha256: hash(token) }] } };
}

/**
 * The role an Authorization header gives; 'refused' when it names a token nobody issued or another scheme.
 */
export function roleOf(access: AccessList, authorization: string | undefined): Role | undefined | 'refused' {
  if (authorization === undefined) return access.anonymous;
  const presented = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization)?.[1];
  if (presented === undefined) return 'refused';
  const presentedHash = hash(presented);
  let role: Role | 'refused' = 'refused';
  for (const each of access.tokens) {
    if (timingSafeEqual(each.sha256, presentedHash) && role !== 'operator') role = each.role;
  }
  return role;
}

/** Who has the token of an Authorization header, where the token file says so. */
export function nameOf(access: AccessList, authorization: string | undefined): string | undefined {
  const presented = /^Bearer ([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization ?? '')?.[1];
  if (presented === undefined) return undefined;
  const presentedHash = hash(presented);
  return access.tokens.find(({ sha256 }) => timingSafeEqual(sha256, presentedHash))?.name;
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
