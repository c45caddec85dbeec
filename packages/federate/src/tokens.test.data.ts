import type { SigningKey } from '@hushrec/model/signing';
import type { Credentials } from './admission.js';
import { signCard } from './card.js';
import type { SignedCharter } from './charter.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { signAsIssuer, TokenOffice } from './node/token-office.js';
import type { PublicKnowledge } from './participant.js';
import { smallCharter } from './small-charter.test.data.js';
import { openTokens } from './tokens.js';

/** A small charter that asks for tokens, and the office that gives them. */
export interface WithTokens {
  readonly signed: SignedCharter;
  readonly office: TokenOffice;
  /** Tokens of one more person. */
  readonly newTokens: (folder?: MemoryFolder) => Promise<Credentials>;
}

/** @param keys of aggregators north and south, of the board and of the issuer */
export async function charterWithTokens(
  keys: readonly SigningKey[],
  knowledge: PublicKnowledge,
  change: Partial<CharterRequest> = {},
  url = '',
): Promise<WithTokens> {
  const issuer = await signCard({ name: 'issuer', url }, keys[3]);
  const drafted = await smallCharter(keys, knowledge, { admission: { kind: 'issuer', issuer }, ...change });
  const kept = new MemoryFolder();
  const signed = await signAsIssuer(drafted, keys[3], kept);
  const office = await TokenOffice.open(signed, kept);
  const newTokens = async (folder = new MemoryFolder()) => {
    const [invitation] = await office.invite(1);
    return openTokens(signed, folder, { sign: (blinded) => office.sign(invitation, blinded) });
  };
  return { signed, office, newTokens };
}
