import type { Method, Progress, RunData, SettingValues } from '@hushrec/factorize';
import type { Ledger } from '@hushrec/ledger';
import type { Certificate, ModelManifest, PublishedModel, TrainedOn } from '@hushrec/model';
import type { SigningKey } from '@hushrec/model/signing';
import type { Engine } from '@hushrec/numerics';
import type { Accounting, CalibratedPlan, DeltaInput, EpsilonInput } from '@hushrec/privacy';
import type { FeatureSource, PublicPart, RatingMatrix, RatingScale } from '@hushrec/ratings';
import type { TrainingStep } from './failure.js';
import type { LiveSignal } from './live-signal.js';

/** What is known of the data before it is opened, and how to open it. */
export interface TrainingSource extends PublicPart {
  /** What the data set is called, as plans name it. */
  readonly name?: string;
  /** The ledger account behind the data. */
  readonly account: { readonly id: string; readonly name: string };
  /** Content hash of the data. It stays with the ledger and the noise, and is never published. */
  readonly identity: string;
  readonly itemCount: number;
  /** Scale of what is trained on. */
  readonly scale: RatingScale;
  /** Which part of the data is trained on, where it is not all of it: public. */
  readonly trainedOn?: TrainedOn;
  /** What it opens has the same public part. */
  open(): Promise<OpenedSource>;
}

export type OpenedSource = OpenedCatalogue & (OpenedRatings | OpenedPeople);

/** Everyone's ratings, in this process. */
export interface OpenedRatings {
  readonly ratings: RatingMatrix;
  /** Ids of the people in the rows. */
  readonly personIds: readonly string[];
}

type PeopleData = Extract<RunData, { readonly people: unknown }>;

/**
 * People who are elsewhere (in files, on a cluster): enough for methods that need no more than sums over
 * them.
 */
export interface OpenedPeople {
  people(engine: Engine): PeopleData['people'] | Promise<PeopleData['people']>;
  /** Called once, whatever happens. */
  close?(): Promise<void>;
}

interface OpenedCatalogue {
  /**
   * Content hash and account of what was opened. Data that was imported again since the source was described
   * has others, and is not what is charged for.
   */
  readonly identity: string;
  readonly account: string;
  readonly features: readonly FeatureSource[];
  /**
   * What is published of the items besides what is learned: their ids, and titles, links, images where there
   * are.
   */
  readonly items: Pick<ModelManifest, 'itemIds' | 'titles' | 'links' | 'images'>;
}

/** The plan of a training, as it is shown before anything happens. */
export interface Announcement {
  /** `planHash` of it: a run that is started with this hash is made by this plan or not at all. */
  readonly hash: string;
  readonly method: Method;
  readonly settings: SettingValues;
  readonly plan: CalibratedPlan;
  readonly simulation: boolean;
}

/** How a run is meant, besides what it trains. */
export interface RunIntent {
  readonly overwrite?: boolean;
  /** Repeats a run that stopped half-way: same noise, no second charge. */
  readonly resume?: boolean;
  /** Publishes the releases too, so that anyone can recompute the model from them. */
  readonly withReleases?: boolean;
  /** A weak guarantee (ε above 20, δ above 1/(10 × declared people)) is meant. */
  readonly acceptWeak?: boolean;
  /** A run without a finite guarantee is made although the account has a grant, and recorded. */
  readonly recordUnprotected?: boolean;
  /** Who starts it and why; goes into the ledger, which anyone may be shown. */
  readonly note?: string;
}

/**
 * What a run needs to start: it shows its plan to whoever starts it, before anything is read or charged, and
 * is given the hash of the plan that was agreed to. A run with another plan is refused before the charge.
 */
export interface Shown<Told> {
  readonly show: (plan: Told & { readonly hash: string }) => string;
}

export interface TrainAndPublishRequest extends RunIntent, Shown<Announcement> {
  readonly source: TrainingSource;
  readonly method: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Infinity: no noise and no guarantee. */
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly accounting?: Accounting;
  readonly declaredPeople?: number;
  /** Makes the run a simulation: nobody is protected, nothing is charged. */
  readonly seed?: number;
  /** The model folder to write. */
  readonly out: string;
  /**
   * Where the model is written instead, decided from its certificate, released numbers alone: a gate. `out`
   * unless given. Keys and notes of the run lie beside `out` in any case.
   */
  readonly place?: (certificate: Certificate) => Promise<string>;
  readonly signingKey?: SigningKey | undefined;
  /**
   * Go on from what earlier runs of the account released, and leave what this one did for the next. Methods
   * that cannot leave it alone; so do simulations and runs without a guarantee.
   */
  readonly remember?: RememberRequest;
  /**
   * Opens the ledger: `write` for a run that is charged; `read` to look whether a grant forbids a run without
   * a guarantee, where no ledger means no grant.
   */
  readonly ledger: (use: 'read' | 'write') => Promise<Ledger | undefined>;
  readonly threads?: number;
  readonly codeVersion: string;
  readonly say?: (line: string) => void;
  /** Told of the sources that the method leaves unused. */
  readonly opened?: (opened: OpenedSource) => void;
  readonly progress?: (progress: Progress) => void;
  /** Told after each release what was released so far, and how much of it is more than noise. */
  readonly onSignal?: (live: LiveSignal) => void;
  readonly signal?: AbortSignal;
  /** For tests: told each step before it is taken. */
  readonly step?: (step: TrainingStep) => void | Promise<void>;
}

export interface RememberRequest {
  /** `YYYY-MM-DD`: the day of the run, declared and public. */
  readonly day: string;
  /** Why the run begins anew, whatever is remembered: asked for, or a new period of the grant. */
  readonly anew?: string;
}

/** A model as it was published, and what it cost. */
export interface TrainedAndPublished extends PublishedModel {
  readonly directory: string;
  readonly plan: CalibratedPlan;
  readonly ledgerEntry: string | null;
  /** The charge had been made by an earlier attempt. */
  readonly resumed: boolean;
}
