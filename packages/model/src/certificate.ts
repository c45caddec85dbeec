import type { DeltaInput, EpsilonInput, PrivacyUnit, Relation } from '@hushrec/privacy';
import type { Usefulness } from './usefulness/usefulness.js';

/** One line of the record: `count` releases of this kind were made with this noise. */
export interface CertifiedRelease {
  readonly name: string;
  readonly mechanism: string;
  /** Norm bound the noise was calibrated to. */
  readonly sensitivity: number;
  /** Standard deviation (Gaussian) or scale (Laplace, K-norm) actually used, in the unit of `sensitivity`. */
  readonly noise: number;
  readonly count: number;
  /** Poisson sampling rate, dimension, pure ε … where the mechanism has them. */
  readonly rate?: number;
  readonly dimension?: number;
  readonly epsilon?: number;
  /** Gaussian and Laplace noise in steps of the grid it was drawn on. */
  readonly gridSigma?: number;
  readonly gridScale?: number;
  /** Distance of the sampler from the exact law, charged to δ (mechanism `sampler-distance`). */
  readonly totalVariation?: number;
  /**
   * The release consists of vectors of which a unit of privacy touches one, each with a bound of its own from
   * public knowledge; `sensitivity` and `noise` are then relative to that bound.
   */
  readonly perPart?: boolean;
  /** What is proved where `sensitivity` is a paper's claim and not a bound; ε follows from this one. */
  readonly provedSensitivity?: number;
  /** Why this release has no finite guarantee at all (mechanism `non-private`). */
  readonly because?: string;
}

/** Names the fields of a certificate and what they mean; changes when they do. */
export const certificateFormat = 'hushrec-certificate-2';

/** Of a model that was trained where nobody holds all ratings: who added up, and who had to be honest. */
export interface FederatedStatement {
  /** SHA-256 of the charter, and of the last entry of the log of released sums. */
  readonly charter: string;
  readonly log: string;
  readonly aggregators: readonly { readonly name: string; readonly publicKey: string }[];
  readonly noiseBy: 'aggregators' | 'parties';
  /** The parties, where they add the noise. */
  readonly parties?: readonly { readonly name: string; readonly publicKey: string }[];
  /** How many of those who add noise must have added it. */
  readonly honestNeeded: number;
  /** Fewer reports than this are never added up. */
  readonly leastReports: number;
  /**
   * The smaller ε, if all added their noise, against those who see what was published and nothing else;
   * `null` where it is not known.
   */
  readonly outside: { readonly epsilon: number | null };
}

/**
 * What the account was granted and had spent, this run included, when the certificate was issued. Spends
 * follow from plans, which are public settings: nothing here is a function of the ratings.
 */
export interface AccountStatement {
  /** `null`: no limit was set. With `period`, the total starts anew in each. */
  readonly granted: {
    readonly epsilon: EpsilonInput;
    readonly delta: DeltaInput;
    readonly period?: 'week' | 'month' | 'quarter' | 'year';
  } | null;
  /** Of all runs together, over all time, rounded up; ε is `null` where no finite one is proved. */
  readonly spent: { readonly epsilon: EpsilonInput | null; readonly delta: DeltaInput };
  /**
   * Runs that this ε does not cover: without a guarantee, or with one for less (single ratings, where it is
   * about people). Absent where there are none.
   */
  readonly unprotectedRuns?: number;
}

/**
 * Code outside Hushrec that brought the method. It ran beside the raw ratings: the bounds on what one person
 * contributes are its own words, and nothing here proves them.
 */
export interface PluginStatement {
  /** `name@version` of a package, or the name of a file. */
  readonly name: string;
  /** SHA-256 of the file that was loaded. */
  readonly sha256: string;
}

/**
 * Of a model that remembers what earlier runs on the same people released: it is a function of all of them,
 * so ε of the certificate is that of the whole chain.
 */
export interface ChainStatement {
  /** SHA-256 of the memory that the last run began with. */
  readonly memory: string;
  /**
   * μ of the runs before, oldest first; runs in a row with the same one are counted together, and so are the
   * distances of their samplers from exact laws.
   */
  readonly earlier: readonly {
    readonly mu: number;
    readonly count: number;
    readonly totalVariation: number;
  }[];
  /** ε of the last run alone, at the same δ, rounded up. */
  readonly lastRun: EpsilonInput;
  /** Noise on a count of what is typically rated, with what is remembered of it. */
  readonly countNoise: number;
}

/** What a certificate says before the files it covers are known. */
export interface CertificateStatement {
  readonly format: typeof certificateFormat;
  readonly method: string;
  /** Absent where the method is one of Hushrec's. */
  readonly plugin?: PluginStatement;
  readonly unit: PrivacyUnit | 'none';
  readonly relation: Relation | 'none';
  readonly released: string;
  /** Rounded up. `null` where there is no finite guarantee (method without privacy). */
  readonly epsilon: EpsilonInput | null;
  readonly delta: DeltaInput;
  readonly accountant: string;
  readonly releases: readonly CertifiedRelease[];
  /**
   * Of a plan in stages: the budget μ that was fixed before any data was read, for which ε stands also where
   * less was used, and the rule that gave later releases from earlier ones.
   */
  readonly staged?: { readonly mu: number; readonly rule: string };
  /** Absent where the model is a function of one run alone. */
  readonly chain?: ChainStatement;
  readonly claimedByPaper?: { readonly claim: string; readonly why: string };
  /** True when a seed was used: the noise can be recomputed, so nothing is protected. */
  readonly simulation: boolean;
  /**
   * Random id of the ledger account: the people behind the data, over all its snapshots. No function of the
   * data.
   */
  readonly account: string;
  /** Absent where no ledger was charged. */
  readonly accountAtIssue?: AccountStatement;
  /**
   * Whether the list of items was given, or is that of the items somebody rated (which then is not
   * protected).
   */
  readonly catalogue: 'declared' | 'rated items';
  /**
   * Where single ratings are protected with their presence: whether the list of people was given, or is that
   * of the people who rated something (which then is not protected). Absent for other units, and in
   * certificates from before it was said, where it was that of those who rated.
   */
  readonly peopleListed?: 'declared' | 'rated';
  /**
   * About how many people there are, as declared beforehand or as released with noise; absent where neither
   * is known.
   */
  readonly people?: { readonly about: number; readonly from: 'declaration' | 'release' };
  readonly ledgerEntry: string | null;
  readonly codeVersion: string;
  /**
   * What is known of how settings were chosen: which data defaults were fitted on, whether any were given.
   */
  readonly tuning: string;
  /** Absent where one curator held the ratings. */
  readonly federated?: FederatedStatement;
  /** Whether there is more than noise in it, from released numbers; absent where that is not known. */
  readonly usefulness?: Usefulness;
}

/** `certificate.json`: what is promised, the record that it follows from, and the files it is about. */
export interface Certificate extends CertificateStatement {
  /**
   * SHA-256 of every other file of the model folder (`metrics.json` excepted: it comes later and seals
   * itself).
   */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the canonical JSON (RFC 8785) of this certificate without `hash` and `signature`. */
  readonly hash: string;
  /** Over the canonical JSON of this certificate without `signature`. Hexadecimal. */
  readonly signature?: CertificateSignature;
}

export interface CertificateSignature {
  readonly algorithm: 'Ed25519';
  readonly publicKey: string;
  readonly value: string;
}
