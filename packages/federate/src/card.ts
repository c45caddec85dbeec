import type { SigningKey } from '@hushrec/model/signing';
import { signAs, signedBy } from './signatures.js';

/** One who has a name, a place and an Ed25519 public key (raw bytes, hexadecimal): what a card says. */
export interface Office {
  readonly name: string;
  readonly url: string;
  readonly publicKey: string;
  /**
   * Its TLS certificate (PEM), which is then the only one believed; absent where the public certificate
   * authorities are.
   */
  readonly certificate?: string;
}

/** What a role says of itself, signed by its own key: these belong together, whoever passes it on. */
export interface Card extends Office {
  /** Ed25519, hexadecimal. */
  readonly signature: string;
}

function contentOf({ name, url, publicKey, certificate }: Office): Office {
  return { name, url, publicKey, ...(certificate !== undefined && { certificate }) };
}

export async function signCard(office: Omit<Office, 'publicKey'>, key: SigningKey): Promise<Card> {
  const content = contentOf({ ...office, publicKey: key.publicKey });
  return { ...content, signature: (await signAs('card', content, key)).value };
}

export async function isSignedCard(card: Card): Promise<boolean> {
  const { publicKey, signature: value } = card;
  return typeof value === 'string' && signedBy('card', contentOf(card), { publicKey, value });
}

/** Somebody who is believed: by a card, with all it says, or by the key alone. */
export type Trusted = string | Omit<Office, 'url'> | Office;

export const keyOf = (trusted: Trusted): string =>
  typeof trusted === 'string' ? trusted : trusted.publicKey;

/** Where what a charter says of somebody is not what the card says; undefined where it is. */
export function cardFault(
  given: Omit<Office, 'url'> & { readonly url?: string },
  card: Omit<Office, 'url'> & { readonly url?: string },
): string | undefined {
  const { name } = card;
  if (given.publicKey !== card.publicKey) return `it gives ${name} another key than ${name}’s card.`;
  if (given.name !== name) return `it calls ${given.name} whose card says ${name}.`;
  // Parties have no address in a charter: nobody asks them anything.
  if (given.url !== undefined && card.url !== undefined && given.url !== card.url)
    return `it says that ${name} is at ${given.url}, and ${name}’s card says ${card.url}.`;
  if (given.certificate !== card.certificate)
    return `it gives ${name} another TLS certificate than ${name}’s card.`;
  return undefined;
}

/** 128 bits of a key for people to compare: as hard to meet with another key as the key itself. */
export function fingerprint(publicKey: string): string {
  return (publicKey.slice(0, 32).match(/.{1,4}/g) ?? []).join(' ');
}

/**
 * What is wrong with an address at which reports would be handed in; undefined where nothing is. An empty one
 * is nobody's: a role in the same process.
 */
export function addressFault({ name, url }: Pick<Office, 'name' | 'url'>): string | undefined {
  if (url === '') return undefined;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol === 'https:') return undefined;
  if (address?.protocol === 'http:' && loopback.test(address.hostname)) return undefined;
  return address?.protocol === 'http:'
    ? `${name} is at ${url}: without TLS anybody on the way could pass for it.`
    : `${name} has no address of the form https://host:port.`;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An address without what does not make it another one. */
export function samePlace(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}
