import { chacha20Words, keyWords } from './chacha20.js';
import type { RunSecret } from './run-secret.js';
import { hmacSha256 } from './sha256.js';

/** Words of a person's name: a 96-bit ChaCha20 nonce. */
const NAME_WORDS = 3;

/**
 * Names of people, three words each, in the order of their rows. A keyed hash of the id: the row plays no
 * part.
 */
export type PersonNames = Uint32Array;

/**
 * Names people by HMAC-SHA-256 of their ids under a key of the run, cut to 96 bits: among 10⁹ people two
 * share a name with probability below 10⁻¹¹. O(people).
 */
function personNames(key: Uint8Array, ids: Iterable<string>, count: number): PersonNames {
  const names = new Uint32Array(NAME_WORDS * count);
  let at = 0;
  for (const id of ids) {
    const view = new DataView(hmacSha256(key, id).buffer);
    for (let word = 0; word < NAME_WORDS; word++) names[at++] = view.getUint32(4 * word, true);
  }
  if (at !== names.length) throw new RangeError(`There are ${count} people and ${at / NAME_WORDS} ids.`);
  return names;
}

/**
 * Secret coins of everyone for one occurrence of one release. A person's coins depend on the key and on her
 * name alone: another person's absence moves nobody's coins, and a resumed run tosses the same ones.
 *
 * ChaCha20 with the person's name as nonce; each uniform number takes 53 bits. Amplification by sampling
 * needs coins that nobody can predict: the key comes from the run's secret, never from a public seed.
 */
export class LineCoins {
  readonly #key: Int32Array;
  readonly #names: PersonNames;
  readonly #block = new Int32Array(16);

  constructor(key: Uint8Array, names: PersonNames) {
    this.#key = keyWords(key);
    this.#names = names;
  }

  /** The person's first number, uniform in [0, 1), a multiple of 2⁻⁵³. */
  uniform(person: number): number {
    return this.uniformFor(person, 0);
  }

  /** The person's number for one of many things (an item, say): independent of those for all others. */
  uniformFor(person: number, thing: number): number {
    this.#fill(person, thing);
    return fraction(this.#block[0], this.#block[1]);
  }

  /** The person's numbers one after another, from the first on. Valid until another person is asked for. */
  stream(person: number): () => number {
    let word = 16;
    let block = 0;
    return () => {
      if (word === 16) {
        this.#fill(person, block++);
        word = 0;
      }
      word += 2;
      return fraction(this.#block[word - 2], this.#block[word - 1]);
    };
  }

  #fill(person: number, block: number): void {
    const at = NAME_WORDS * person;
    if (!(at + NAME_WORDS <= this.#names.length && at >= 0))
      throw new RangeError(`There is no person ${person} among ${this.#names.length / NAME_WORDS}.`);
    const names = this.#names;
    chacha20Words(this.#key, [names[at], names[at + 1], names[at + 2]], block, this.#block);
  }
}

function fraction(high: number, low: number): number {
  return ((high >>> 11) * 2 ** 32 + (low >>> 0)) * 2 ** -53;
}

/**
 * Keys of everyone's coins for one occurrence of one release: plain data, all that is needed to toss them.
 * Secret, but of no use for any other occurrence and for no noise: this is what workers get that draw
 * samples.
 */
export interface CoinKeys {
  /** Of this occurrence. */
  readonly line: Uint8Array;
  /** Under which people's ids become names: the same for all occurrences of a run. */
  readonly people: Uint8Array;
}

/** Coins of all releases of a run, by their keys. */
export interface CoinSource {
  /** Everyone's coins for one occurrence of the release (or other step) with this label. */
  line(label: string, occurrence: number): CoinKeys;
}

/** The same, with the ids of the people in the rows, which name their coins. */
export interface PeopleCoins extends CoinSource {
  readonly ids?: Iterable<string>;
}

/**
 * Coins of a run. Without ids rows are numbered, so that a person keeps her coins only as long as those
 * before her stay.
 */
export function peopleCoins(secret: RunSecret, ids?: Iterable<string>): PeopleCoins {
  const people = secret.personKey();
  return {
    line: (label, occurrence) => ({ line: secret.coinKey(label, occurrence), people }),
    ...(ids && { ids }),
  };
}

/**
 * Names of some people by their ids, or by their numbers from 0 on, made when they are first asked for under
 * a key.
 */
export class PeopleNames {
  readonly #count: number;
  readonly #ids: Iterable<string> | undefined;
  #made: { readonly key: Uint8Array; readonly names: PersonNames } | undefined;

  constructor(count: number, ids?: Iterable<string>) {
    this.#count = count;
    this.#ids = ids;
  }

  /**
   * Coins of `count` of them from number `first` on, who are then numbered from 0.
   *
   * @throws RangeError where there are more or fewer ids than people
   */
  coins({ line, people }: CoinKeys, first = 0, count = this.#count): LineCoins {
    if (this.#made === undefined || !this.#made.key.every((byte, at) => byte === people[at]))
      this.#made = {
        key: people.slice(),
        names: personNames(people, this.#ids ?? rowNumbers(this.#count), this.#count),
      };
    return new LineCoins(line, this.#made.names.subarray(NAME_WORDS * first, NAME_WORDS * (first + count)));
  }
}

function* rowNumbers(count: number): Generator<string> {
  for (let row = 0; row < count; row++) yield String(row);
}
