import { canonicalJson, type SigningKey } from '@hushrec/model/signing';
import type { CalibratedPlan } from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import { isModulus } from './blind-rsa.js';
import { hashHex } from './bytes.js';
import {
  addressFault,
  type Card,
  cardFault,
  isSignedCard,
  keyOf,
  type Office,
  samePlace,
  type Trusted,
} from './card.js';
import { CharterError } from './federation-errors.js';
import { MOST_IN_LOOK, screeningScales } from './screening.js';
import { SEAL_BYTES } from './sealed-share.js';
import { LineProofs, mostProvedBytes } from './sharing/line-proofs.js';
import { type LineShape, largestSum } from './sharing/sharing-line.js';
import { type WordBytes, wordBytesFor } from './sharing/sharing-words.js';
import { type NamedSignature, signAs, signedBy } from './signatures.js';

/** When an exchange ends. */
export type Pace =
  /** At fixed times, one window an exchange: for devices, which come when they come. ISO 8601. */
  | {
      readonly kind: 'windows';
      readonly windows: readonly { readonly opens: string; readonly closes: string }[];
      /** How many seconds usually lie between two visits of a device, if that is more than a window. */
      readonly visitSeconds?: number;
    }
  /** When so many reports are in, or after so long: for parties, who are known by name and always there. */
  | { readonly kind: 'reports'; readonly count: number; readonly longestSeconds: number };

/** Who may hand in. */
export type Admission =
  | { readonly kind: 'open' }
  /** Holders of tokens that an issuer signed without seeing them; each stands for one report an exchange. */
  | { readonly kind: 'issuer'; readonly issuer: Card }
  /** Named parties, each signing its reports. */
  | {
      readonly kind: 'parties';
      readonly parties: readonly Omit<Office, 'url'>[];
    };

/**
 * All that a federated run is, before any data is touched: what will be released with which noise, by whom it
 * is added up, who has to be honest. The model is a function of the charter and of the log of released sums.
 */
export interface Charter {
  /**
   * Charters of the first format had cards without signatures and shares without seals: their logs are
   * checked as ever, and nobody takes part in them any more.
   */
  readonly format: 'hushrec-charter-2';
  /** 16 random bytes, hexadecimal: another run is another charter. */
  readonly run: string;
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  readonly codeVersion: string;
  readonly kernel: 'simd' | 'scalar';
  /** What is promised; `noise` is what a person may rely on. */
  readonly plan: CalibratedPlan;
  /**
   * Every line of every exchange, from a dry run without data; of a plan in stages those of the first stage.
   */
  readonly exchanges: readonly (readonly LineShape[])[];
  readonly wordBytes: WordBytes;
  readonly catalogue: {
    readonly itemCount: number;
    readonly scale: RatingScale;
    /** SHA-256 of the canonical JSON of the item ids, in order, and of the public features. */
    readonly hash: string;
  };
  /** Seed of public randomness (first vectors). */
  readonly publicSeed: number;
  readonly coordinator: Card;
  readonly aggregators: readonly Card[];
  readonly noise: { readonly by: 'aggregators' | 'parties'; readonly honestNeeded: number };
  /**
   * Part of each line's privacy that is set aside for looks at reports before they are added up
   * (`screening.ts`); no look where it is absent. Sums out of range then count as the nearest in range.
   */
  readonly screening?: number;
  /**
   * Each report proves that it is as short as one person's can be, to two aggregators that send each other a
   * message about it (`line-proofs.ts`). Sums are then modulo a prime, and out of range count as the nearest
   * in range.
   */
  readonly normProofs?: true;
  /** Sizes the words; no noise depends on it. */
  readonly mostPeople: number;
  readonly leastReports: number;
  readonly pace: Pace;
  readonly admission: Admission;
  /** One owner has the secrets of all roles: nobody is protected, and the certificate says so. */
  readonly simulation?: true;
}

/** An aggregator's signature under a charter, and the key to which it wants its shares sealed in this run. */
export interface CharterSignature extends NamedSignature {
  readonly sealingKey: string;
}

/** An issuer's signature under a charter, and the moduli of its keys for tokens: one an exchange. */
export interface TokenSignature extends NamedSignature {
  readonly tokenKeys: readonly string[];
}

/** A charter with its hash and the signatures of aggregators, and of the issuer where there is one. */
export interface SignedCharter {
  readonly charter: Charter;
  readonly hash: string;
  readonly signatures: readonly CharterSignature[];
  readonly tokens?: TokenSignature;
}

export async function charterHash(charter: Charter): Promise<string> {
  return hashHex(canonicalJson(charter));
}

/** The part of a charter that says who adds noise. */
type NoiseMakers = Pick<Charter, 'noise' | 'aggregators' | 'admission' | 'screening'>;

/** How many add noise at most: it lies on the sum, whether they are honest or not. */
function noiseMakers({ noise, aggregators, admission }: NoiseMakers): number {
  if (noise.by === 'aggregators') return aggregators.length;
  return admission.kind === 'parties' ? admission.parties.length : noise.honestNeeded;
}

/** Noise on the sum over certified noise, as standard deviations. */
export function noiseOnSum(charter: NoiseMakers): number {
  return screeningScales(charter.screening).sum * fromSeveral(charter);
}

/** Noise on a look over certified noise; 0 where there are no looks. */
export function noiseOnLook(charter: NoiseMakers): number {
  return screeningScales(charter.screening).look * fromSeveral(charter);
}

/** Several add noise, and not all of them count. */
function fromSeveral(charter: NoiseMakers): number {
  return Math.sqrt(noiseMakers(charter) / charter.noise.honestNeeded);
}

/** The smallest words that hold every sum of the charter's lines. @throws WordSizeError where none do */
export function charterWordBytes(
  plan: CalibratedPlan,
  exchanges: Charter['exchanges'],
  mostPeople: number,
  onSum: number,
  onLook = 0,
  normProofs = false,
): WordBytes {
  const shapes = exchanges.flat();
  const largest = (people: number, noise: number) =>
    shapes.reduce((most, shape) => Math.max(most, largestSum(plan, shape, people, noise)), 0);
  const looks = onLook === 0 ? 0 : largest(MOST_IN_LOOK, onLook);
  const least = wordBytesFor(Math.max(largest(mostPeople, onSum), looks));
  if (normProofs) return 8;
  // Grids of later stages are not known in advance.
  return plan.later === undefined ? least : 6;
}

/** Most exchanges of a run: those of the charter, and as many as its plan's envelope leaves room for. */
export function mostExchanges({ plan, exchanges }: Pick<Charter, 'plan' | 'exchanges'>): number {
  const { later } = plan;
  if (later === undefined) return exchanges.length;
  const counts = later.allowed.map(({ count }) => count).sort((a, b) => b - a);
  return exchanges.length + counts.slice(0, later.lines).reduce((sum, count) => sum + count, 0);
}

/** Most bytes that one participant sends over the whole run, and what it reads of the log (sums alone). */
export function bytesOf(charter: Charter): { readonly sent: number; readonly read: number } {
  const first = charter.exchanges.flat().reduce((sum, { length }) => sum + length, 0);
  const words = first + (charter.plan.later?.numbers ?? 0);
  const { length } = charter.aggregators;
  const seals = SEAL_BYTES * length * mostExchanges(charter);
  const seeds = 32 * (length - 1) * mostExchanges(charter);
  const shares = charter.normProofs ? provedBytes(charter) : words * charter.wordBytes + seeds;
  return { sent: shares + seals, read: words * charter.wordBytes };
}

/** Bytes of both shares of all reports with their proofs. */
function provedBytes({ exchanges, plan }: Charter): number {
  const sum = (bytes: readonly number[]) => bytes.reduce((total, each) => total + each, 0);
  const first = exchanges.flatMap((lines) => new LineProofs({ lines, plan }).reportBytes);
  if (plan.later === undefined) return sum(first);
  // Lines of later stages are exchanges of their own.
  return sum(first) + mostProvedBytes(plan.later.numbers, plan.later.lines);
}

/**
 * What is wrong with a charter by itself, whoever signed it; undefined when nothing is. Whether plan and
 * exchanges are what the method gives for these settings is checked by running it dry
 * (`checkCharterByDryRun`).
 */
export function faultInCharter(charter: Charter): string | undefined {
  const { format, aggregators, noise, admission, plan, exchanges, pace, leastReports, mostPeople } = charter;
  if (format !== 'hushrec-charter-2') return 'its format is not one that this version knows.';
  if (!/^[0-9a-f]{32}$/.test(charter.run)) return 'its run is not 16 bytes in hexadecimal.';
  if (aggregators.length < 1) return 'it names no aggregator.';
  if (new Set(aggregators.map(({ publicKey }) => publicKey)).size !== aggregators.length)
    return 'two aggregators have the same key, so they are one.';
  const address = faultInAddresses(charter);
  if (address !== undefined) return address;
  if (admission.kind === 'parties') {
    const { parties } = admission;
    for (const of of ['publicKey', 'name'] as const)
      if (new Set(parties.map((each) => each[of])).size !== parties.length)
        return `two parties have the same ${of === 'name' ? 'name' : 'key'}, so they are one.`;
  }
  if (plan.unit !== 'user')
    return 'its plan protects ratings, not persons; only sums about persons are shared.';
  if (!Number.isFinite(plan.epsilon)) return 'its plan promises nothing.';
  if (exchanges.length === 0 || exchanges.some((lines) => lines.length === 0)) return 'an exchange is empty.';
  const makers = noiseMakers(charter);
  if (!(Number.isInteger(noise.honestNeeded) && noise.honestNeeded >= 1 && noise.honestNeeded <= makers))
    return `${noise.honestNeeded} of ${makers} noise makers cannot be needed.`;
  if (noise.by === 'parties' && admission.kind !== 'parties')
    return 'parties that add noise must be named, or invented ones would add none.';
  if (noise.by === 'parties' && leastReports < noise.honestNeeded)
    return 'sums of fewer parties than must be honest would be published.';
  if (!(Number.isInteger(leastReports) && leastReports >= 1))
    return 'leastReports is not a whole number ≥ 1.';
  if (!(Number.isInteger(mostPeople) && mostPeople >= 1)) return 'mostPeople is not a whole number ≥ 1.';
  if (pace.kind === 'windows' && pace.windows.length !== mostExchanges(charter))
    return `${mostExchanges(charter)} exchanges need as many windows, not ${pace.windows.length}.`;
  const { screening, normProofs } = charter;
  if (screening !== undefined && !(screening > 0 && screening <= 0.5))
    return 'what it sets aside for looks at reports is not between 0 and one half.';
  if (screening !== undefined && (admission.kind === 'parties' || noise.by !== 'aggregators'))
    return 'looks at reports are for devices: parties are known by name and hand in for many people.';
  const proofs = faultInProofs(charter);
  if (proofs !== undefined) return proofs;
  const [onSum, onLook] = [noiseOnSum(charter), noiseOnLook(charter)];
  if (charterWordBytes(plan, exchanges, mostPeople, onSum, onLook, normProofs) > charter.wordBytes)
    return 'its words are too small for its sums.';
  return undefined;
}

function faultInProofs(charter: Charter): string | undefined {
  const { normProofs, wordBytes, screening, aggregators, admission, noise, exchanges, plan } = charter;
  if ((normProofs === true) !== (wordBytes === 8)) return 'words of 8 bytes and norm proofs go together.';
  if (!normProofs) return undefined;
  if (screening !== undefined) return 'it has norm proofs and looks at reports; one of both is enough.';
  if (aggregators.length !== 2) return `norm proofs are for two aggregators, not ${aggregators.length}.`;
  if (admission.kind === 'parties' || noise.by !== 'aggregators')
    return 'norm proofs are for devices: parties hand in for many people.';
  try {
    for (const lines of exchanges) new LineProofs({ lines, plan });
  } catch (error) {
    if (error instanceof RangeError) return `a line of it cannot have norm proofs: ${error.message}`;
    throw error;
  }
  return undefined;
}

function faultInAddresses({ coordinator, aggregators, admission }: Charter): string | undefined {
  const places = aggregators.flatMap(({ url }) => (url === '' ? [] : [samePlace(url)]));
  if (new Set(places).size !== places.length)
    return 'two aggregators have the same address: whoever is there gets both shares.';
  return [coordinator, ...aggregators, ...issuerOf(admission)]
    .map(addressFault)
    .find((fault) => fault !== undefined);
}

/** The issuer's card, where tokens are asked for. */
const issuerOf = (admission: Admission): Card[] => (admission.kind === 'issuer' ? [admission.issuer] : []);

/** What an aggregator signs: the charter, and the key to which its shares are sealed. */
function signedContent(hash: string, sealingKey: string): unknown {
  return { charter: hash, sealingKey };
}

/** Signs a charter that has nothing wrong with it. */
export async function signCharter(
  signed: SignedCharter,
  key: SigningKey,
  sealingKey: string,
): Promise<SignedCharter> {
  const fault = faultInCharter(signed.charter);
  if (fault !== undefined) throw new CharterError(fault);
  if ((await charterHash(signed.charter)) !== signed.hash)
    throw new CharterError('its hash is not that of its content.');
  const others = signed.signatures.filter(({ publicKey }) => publicKey !== key.publicKey);
  const content = signedContent(signed.hash, sealingKey);
  const own = { ...(await signAs('charter', content, key)), sealingKey };
  return { ...signed, signatures: [...others, own] };
}

/** Signs a charter as its issuer, with the moduli of its keys. @throws CharterError where it names another */
export async function signTokenKeys(
  signed: SignedCharter,
  key: SigningKey,
  tokenKeys: readonly string[],
): Promise<SignedCharter> {
  const { charter, hash } = signed;
  if (!issuerOf(charter.admission).some(({ publicKey }) => publicKey === key.publicKey))
    throw new CharterError('it names another issuer, or none.');
  return {
    ...signed,
    tokens: { ...(await signAs('charter', { charter: hash, tokenKeys }, key)), tokenKeys },
  };
}

/** A key an exchange, all different: with one key for all, all tokens could be used in one exchange. */
async function checkTokenKeys({ charter, hash, tokens }: SignedCharter): Promise<void> {
  for (const { name, publicKey } of issuerOf(charter.admission)) {
    if (tokens?.publicKey !== publicKey)
      throw new CharterError(
        `issuer ${name} has not signed it.`,
        'It holds when its issuer has, too (`hushrec federate sign`); until then do not take part.',
      );
    const { tokenKeys } = tokens;
    if (!(await signedBy('charter', { charter: hash, tokenKeys }, tokens)))
      throw new CharterError(`the signature under the name of issuer ${name} is not ${name}’s.`);
    if (
      tokenKeys.length !== mostExchanges(charter) ||
      new Set(tokenKeys).size !== tokenKeys.length ||
      !tokenKeys.every(isModulus)
    )
      throw new CharterError(`issuer ${name} has not given each exchange a key of its own.`);
  }
}

/**
 * The charter, if it is well-formed and every aggregator signed it. Whether they are believed is another
 * question. @throws CharterError
 */
export async function signedCharter(signed: SignedCharter): Promise<Charter> {
  const { charter, hash, signatures } = signed ?? {};
  // What is in it is looked at when it is known to be what was signed.
  if (typeof charter !== 'object' || charter === null || !Array.isArray(signatures))
    throw new CharterError('it cannot be read as a charter.');
  if ((await charterHash(charter).catch(() => undefined)) !== hash)
    throw new CharterError('it was changed after it was signed.');
  if (charter.format !== 'hushrec-charter-2' || !Array.isArray(charter.aggregators))
    throw new CharterError('it is of a format that this version cannot read.');
  for (const { name, publicKey } of charter.aggregators) {
    const signature = signatures.find((each) => each?.publicKey === publicKey);
    if (signature === undefined)
      throw new CharterError(
        `aggregator ${name} has not signed it.`,
        'It holds when all its aggregators have (`hushrec federate sign`); until then do not take part.',
      );
    const content = signedContent(hash, signature.sealingKey);
    if (!(await signedBy('charter', content, signature)))
      throw new CharterError(`the signature under the name of aggregator ${name} is not ${name}’s.`);
  }
  const fault = faultInCharter(charter);
  if (fault !== undefined) throw new CharterError(fault);
  for (const card of [charter.coordinator, ...charter.aggregators, ...issuerOf(charter.admission)])
    if (!(await isSignedCard(card)))
      throw new CharterError(`the card of ${card.name} in it is not signed by ${card.name}’s key.`);
  await checkTokenKeys(signed);
  return charter;
}

/** The keys to which shares are sealed, by aggregator. The charter is one that all of them have signed. */
export function sealingKeys({ charter, signatures }: SignedCharter): string[] {
  return charter.aggregators.map(
    ({ publicKey }) => signatures.find((each) => each.publicKey === publicKey)!.sealingKey,
  );
}

/**
 * The charter, if every aggregator signed it and enough of those who must be honest are among the `trusted`:
 * `honestNeeded` of those who add noise, and one aggregator in any case, or nobody keeps the shares apart.
 * Where somebody is trusted by a card, the charter must say of them what the card says.
 */
export async function readCharter(signed: SignedCharter, trusted: readonly Trusted[]): Promise<Charter> {
  const charter = await signedCharter(signed);
  const { aggregators, admission, noise } = charter;
  const parties = admission.kind === 'parties' ? admission.parties : [];
  for (const card of trusted.filter((each) => typeof each !== 'string'))
    for (const given of [...aggregators, ...parties].filter(
      ({ publicKey }) => publicKey === card.publicKey,
    )) {
      const fault = cardFault(given, card);
      if (fault !== undefined) throw new CharterError(fault);
    }
  const keys = trusted.map(keyOf);
  const among = (
    counted: readonly { readonly name: string; readonly publicKey: string }[],
    needed: number,
  ) => {
    const known = counted.filter(({ publicKey }) => keys.includes(publicKey)).length;
    if (known < needed)
      throw new CharterError(
        `it needs ${needed} honest of ${counted.map(({ name }) => name).join(', ')}, and you trust ${known} of them.`,
        'Trust more of them by their cards (`--trust`), or do not take part.',
      );
  };
  if (noise.by === 'parties') among(parties, noise.honestNeeded);
  among(aggregators, noise.by === 'parties' ? 1 : noise.honestNeeded);
  return charter;
}

/**
 * Which of the aggregators somebody is. The charter must say of them what their own card says: who puts
 * another address or certificate beside their key would get the shares that are meant for them.
 *
 * @throws CharterError
 */
export function seatOf({ aggregators }: Charter, own: Office): number {
  const index = aggregators.findIndex(({ publicKey }) => publicKey === own.publicKey);
  if (index < 0)
    throw new CharterError(
      `${own.name} is not one of its aggregators.`,
      `They are ${aggregators.map(({ name }) => name).join(', ')}: give the folder of one of them.`,
    );
  checkOwnCard(aggregators[index], own);
  return index;
}

/** @throws CharterError where a charter says something else of somebody than their own card */
export function checkOwnCard(given: Office, own: Office): void {
  const fault = cardFault(given, own);
  if (fault !== undefined)
    throw new CharterError(fault, 'Do not sign it and do not add up for it; ask whoever wrote it.');
}
