import { canonicalJson, type SigningKey } from '@hushrec/model/signing';
import { isBlindSigned } from './blind-rsa.js';
import { hashHex } from './bytes.js';
import type { Charter } from './charter.js';
import { signAs, signedBy } from './signatures.js';

/** Proof that one share of a report may be handed in, where the charter asks for one. */
export type Credentials = (
  exchange: number,
  report: string,
  share: number,
  body: Uint8Array,
) => Promise<string>;

/** A share as an aggregator got it. */
export interface HandedIn {
  readonly exchange: number;
  readonly report: string;
  /** The aggregator's place in the charter. */
  readonly share: number;
  readonly body: Uint8Array;
}

/**
 * Who hands in a report, by the charter's rule: the name of a party, the public key of a token, '' where
 * everyone may. Undefined for whoever is not admitted. What is signed names the report, the aggregator and
 * the bytes: whoever sees it (another aggregator, a proxy) can hand in nothing else with it.
 *
 * @param tokenKeys moduli of the issuer's keys, one an exchange
 */
export async function admitted(
  { admission }: Charter,
  charterHash: string,
  { exchange, report, share, body }: HandedIn,
  credentials: string | undefined,
  tokenKeys: readonly string[] = [],
): Promise<string | undefined> {
  if (admission.kind === 'open') return '';
  const [name, value] = splitAtLast(credentials);
  if (name === undefined || value === undefined) return undefined;
  const [publicKey, token] =
    admission.kind === 'issuer'
      ? splitAtLast(name)
      : [admission.parties.find((each) => each.name === name)?.publicKey];
  if (publicKey === undefined) return undefined;
  const content = await signedReport(charterHash, exchange, report, share, body);
  if (!(await signedBy('report', content, { publicKey, value }))) return undefined;
  if (admission.kind === 'parties') return name;
  const message = tokenMessage(charterHash, exchange, publicKey);
  const modulus = tokenKeys[exchange];
  if (modulus === undefined || token === undefined) return undefined;
  return (await isBlindSigned(modulus, message, token)) ? publicKey : undefined;
}

/** What a token signs: a fresh public key, for one exchange of one run. */
export function tokenMessage(charter: string, exchange: number, publicKey: string): string {
  return canonicalJson(['hushrec-token-1', charter, exchange, publicKey]);
}

async function signedReport(
  charter: string,
  exchange: number,
  report: string,
  share: number,
  body: Uint8Array,
): Promise<object> {
  return { charter, exchange, report, share, body: await hashHex(body) };
}

function splitAtLast(text: string | undefined): [string?, string?] {
  const at = text?.lastIndexOf(' ') ?? -1;
  return at <= 0 ? [] : [text!.slice(0, at), text!.slice(at + 1)];
}

/** The word of a party, or of the holder of a token, that a share of a report is its own. */
export async function reportCredentials(
  name: string,
  key: SigningKey,
  charterHash: string,
  exchange: number,
  report: string,
  share: number,
  body: Uint8Array,
): Promise<string> {
  const content = await signedReport(charterHash, exchange, report, share, body);
  return `${name} ${(await signAs('report', content, key)).value}`;
}

/** A party's credentials for every report of a run. */
export function partyCredentials(name: string, key: SigningKey, charterHash: string): Credentials {
  return (...report) => reportCredentials(name, key, charterHash, ...report);
}
