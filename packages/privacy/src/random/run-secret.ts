import { hmacSha256, sha256 } from './sha256.js';

/** Bytes of a run's secret. */
export const SECRET_BYTES = 32;

/** A secret that would leave noise predictable. The message says what is wrong with it, never what it is. */
export class WeakSecretError extends RangeError {
  override readonly name = 'WeakSecretError';
  readonly kind = 'privacy';
}

/** What randomness of a run is bound to besides its purpose. */
export interface SecretOptions {
  /** Makes the run a simulation: noise can be recomputed by anyone who knows the seed. */
  readonly seed?: number | string;
  /**
   * 32 secret bytes, kept by whoever wants to resume this run; drawn afresh when absent. As sensitive as the
   * data.
   */
  readonly key?: Uint8Array;
  /** Content of the data, by a hash that stays secret: noise on other data is independent. */
  readonly identity?: string;
  /** Names the run; another name gives independent randomness. */
  readonly job?: string;
}

/**
 * All secret randomness of a run, derived from one root of 32 bytes: noise, sampling coins, names of people,
 * and the seed of the public start.
 *
 * Every derived key is HMAC-SHA-256 of the root over (purpose, label of the release, occurrence, …). Equal
 * identities re-create equal bytes (a resumed or retried step makes no second draw); any difference gives
 * independent bytes. Labels are the stable names of a plan's lines: neither texts for people nor the plan's
 * JSON enter, so that rewording changes no draw.
 */
export class RunSecret {
  /** A seed was used: everything can be recomputed, nothing is protected. */
  readonly simulation: boolean;
  readonly #root: Uint8Array;
  readonly #identity: string;
  readonly #job: string;

  /** @throws WeakSecretError unless a given key is 32 bytes that were drawn at random */
  constructor(options: SecretOptions = {}) {
    if (options.seed !== undefined && options.key !== undefined)
      throw new TypeError('Give a seed (simulation) or a key (private run), not both.');
    this.simulation = options.seed !== undefined;
    this.#root =
      options.seed !== undefined
        ? simulationRoot(options.seed)
        : options.key === undefined
          ? freshSecret()
          : checkedSecret(options.key);
    this.#identity = options.identity ?? '';
    this.#job = options.job ?? '';
  }

  /**
   * The key of one piece of noise. `line` is the planned line's label; `binding` says what the noise is for:
   * mechanism, scale, part, and (in private runs) the content it is added to.
   */
  noiseKey(line: string, occurrence: number, binding: readonly (string | number)[]): Uint8Array {
    return this.#derive('noise', line, occurrence, this.#identity, ...binding);
  }

  /**
   * The key of everyone's coins for one occurrence of one line; workers that sample people get this and
   * nothing else.
   */
  coinKey(line: string, occurrence: number): Uint8Array {
    return this.#derive('coins', line, occurrence);
  }

  /** The key under which people's ids become names. */
  personKey(): Uint8Array {
    return this.#derive('people');
  }

  /**
   * Seed of the public start (initial vectors, orders): 53 bits. It may be published: HMAC outputs say
   * nothing of their key, and nothing about people is drawn from it.
   */
  publicSeed(): number {
    const view = new DataView(this.#derive('public').buffer);
    return (view.getUint32(0) % 2 ** 21) * 2 ** 32 + view.getUint32(4);
  }

  #derive(...identity: readonly (string | number)[]): Uint8Array {
    return hmacSha256(this.#root, JSON.stringify(['hushrec-3', this.#job, ...identity]));
  }
}

/** A secret of 32 bytes from the platform's cryptographic generator. */
export function freshSecret(): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
}

/**
 * A secret that was kept. A file cut short, or blocks that a full disk left zero, would make noise public:
 * those are refused. A random secret has fewer than 8 different bytes with probability below 2⁻¹⁹⁰.
 */
export function checkedSecret(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== SECRET_BYTES)
    throw new WeakSecretError(
      `The secret of a run has ${SECRET_BYTES} bytes; this one has ${bytes.length}. Start the run anew.`,
    );
  if (new Set(bytes).size < 8)
    throw new WeakSecretError(
      'The secret of a run is not random (nearly all bytes equal). Start the run anew.',
    );
  return Uint8Array.from(bytes);
}

/** The root of a simulation: anyone who knows the seed can recompute all noise, so it protects nobody. */
function simulationRoot(seed: number | string): Uint8Array {
  return sha256(JSON.stringify(['hushrec-simulation-1', typeof seed, String(seed)]));
}
