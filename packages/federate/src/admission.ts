import type { SigningKey } from '@hushrec/model';
import type { Charter } from './charter.js';
import { signAs, signedBy } from './signatures.js';

/**
 * Who hands in a report, by the charter's rule: the name of a party, the serial of a token, '' where everyone
 * may. Undefined for whoever is not admitted. What is signed names the report, so that it admits nothing
 * else.
 */
export async function admitted(
  { admission }: Charter,
  charterHash: string,
  exchange: number,
  report: string,
  credentials: string | undefined,
): Promise<string | undefined> {
  if (admission.kind === 'open') return '';
  const [name, value] = splitCredentials(credentials);
  if (name === undefined || value === undefined) return undefined;
  switch (admission.kind) {
    case 'issuer': {
      const { publicKey } = admission;
      return (await signedBy('token', { charter: charterHash, serial: name }, { publicKey, value }))
        ? name
        : undefined;
    }
    case 'parties': {
      const party = admission.parties.find((each) => each.name === name);
      if (party === undefined) return undefined;
      const { publicKey } = party;
      const content = { charter: charterHash, exchange, report };
      return (await signedBy('report', content, { publicKey, value })) ? name : undefined;
    }
    default:
      return admission satisfies never;
  }
}

function splitCredentials(credentials: string | undefined): [string?, string?] {
  const at = credentials?.lastIndexOf(' ') ?? -1;
  return at <= 0 ? [] : [credentials!.slice(0, at), credentials!.slice(at + 1)];
}

/** A party's word that a report is its own. */
export async function partyCredentials(
  name: string,
  key: SigningKey,
  charterHash: string,
  exchange: number,
  report: string,
): Promise<string> {
  const { value } = await signAs('report', { charter: charterHash, exchange, report }, key);
  return `${name} ${value}`;
}

/** A token for one participant, made by the issuer that the charter names. */
export async function issueToken(serial: string, issuer: SigningKey, charterHash: string): Promise<string> {
  const { value } = await signAs('token', { charter: charterHash, serial }, issuer);
  return `${serial} ${value}`;
}
