import type { ItemModel, TrainingFacts } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type {
  CoinSource,
  DeltaInput,
  EpsilonInput,
  PeopleCoins,
  PrivacyUnit,
  Relation,
  ReleasePlan,
  ReleaseRecorder,
} from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix, RatingScale } from '@hushrec/ratings';
import type { People } from '@hushrec/statistics';
import type { IdleSettings } from './idle-settings.js';
import type { LeftMemory, Remembering } from './method-memory.js';
import type { SearchSpace } from './search-space.js';
import type { SettingsSchema } from './settings.js';

/** What is public about a data set before any of it is read: enough to plan and to calibrate. */
export interface PublicShape {
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly delta: DeltaInput;
  readonly epsilon: EpsilonInput;
  /**
   * A public figure for the population size (declared, rounded; not the exact count of this data set), for
   * default settings only. No sensitivity and no noise scale may depend on it.
   */
  readonly declaredPeople?: number;
  readonly features: readonly FeatureSource[];
}

/** Progress of long work, as data; apps decide what to print. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Everything a training run may use besides people's data. */
interface CommonInput<Settings> {
  readonly features: readonly FeatureSource[];
  readonly settings: Settings;
  readonly engine: Engine;
  /** The only way to noise: holds the calibrated plan, checks each release against it, records it. */
  readonly recorder: ReleaseRecorder;
  /**
   * Public randomness (initial vectors, orders): uniform in [0, 1). Its seed may be published. How often it
   * is called must not depend on anyone's data, and nothing about people may be drawn from it.
   */
  readonly random: () => number;
  readonly progress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Leave a memory for the next run on the same people, and use that of the runs before. */
  readonly remember?: Remembering;
}

/**
 * What a method works on that reads people through statistics alone: no rating, no count of people, no
 * identity of the data.
 */
export interface PeopleInput<Settings> extends CommonInput<Settings> {
  readonly people: People;
  /** People's own secret coins, by the label of what they are for: samples, Poisson batches. */
  readonly coins: CoinSource;
}

/** What a method works on that must see all rows. */
export interface TrainingInput<Settings> extends CommonInput<Settings> {
  readonly ratings: RatingMatrix;
  /** The same coins, with the ids of the people in the rows. */
  readonly coins: PeopleCoins;
}

/** What a method needs of people's data. */
export type Needs = 'people' | 'ratings';

export interface TrainedModel {
  readonly model: ItemModel;
  readonly facts?: TrainingFacts;
  /** Where it was asked to remember, and can. */
  readonly memory?: LeftMemory;
}

/** One training algorithm. Each lives in one file that reads like its algorithm box. */
export interface Method<Schema extends SettingsSchema = SettingsSchema> {
  readonly id: string;
  readonly title: string;
  /** Seed paper and algorithm, e.g. "Chien et al. 2021, Algorithm 1". */
  readonly paper: string;
  readonly feedback: readonly ('explicit' | 'implicit')[];
  /** Whom it can protect; empty for methods without privacy. */
  readonly protects: readonly { readonly unit: PrivacyUnit; readonly relation: Relation }[];
  readonly settings: Schema;
  /**
   * `people`: sums over people are enough, wherever people are. `ratings`: it must see all rows, in this
   * process.
   */
  readonly needs: Needs;
  /**
   * Settings that clip what one person contributes, hence bound sensitivities; where absent, none is
   * declared. Audits widen them on purpose, to show that a forgotten clip would be noticed.
   */
  readonly clips?: readonly string[];
  /**
   * Data that its defaults and rules were fitted on, as the certificate says it; absent where that is not
   * recorded.
   */
  readonly fittedOn?: string;
  /**
   * Whether it makes lists from ratings by their grades, (r − min)/(max − min) of the declared scale; others
   * make them from likes.
   */
  readonly learnsGrades?: boolean;
  /** Whether it can leave a memory for the next run on the same people. */
  readonly remembers?: boolean;
  /** Where tuning looks; where absent, it cannot be tuned. */
  readonly search?: SearchSpace;
  /** Kinds of public sources it learns from; where absent, none. Sources of other kinds are left unused. */
  readonly learnsFrom?: readonly FeatureSource['kind'][];
  /**
   * The method that this one is with these settings and sources, up to rounding: without facts about items,
   * what uses them has nothing of its own.
   */
  sameAs?(
    settings: Readonly<Record<string, number | string | boolean>>,
    features: readonly FeatureSource[],
  ): string | undefined;
  /** Refuses settings that do not fit the public sources of a run: before its budget is spent. */
  checkSources?(
    settings: Readonly<Record<string, number | string | boolean>>,
    features: readonly FeatureSource[],
  ): void;
  /** Whether these settings learn from what people say about themselves (`RatingMatrix.about`). */
  asksAbout?(settings: Readonly<Record<string, number | string | boolean>>): boolean;
  /**
   * Default settings that depend on public shape and on what else was given (rules, not tuning); merged under
   * what the user gave. What was given may still be wrong.
   */
  suggest?(
    shape: PublicShape,
    given: Readonly<Record<string, unknown>>,
  ): Readonly<Partial<Record<string, number | string | boolean>>>;
  /**
   * Which of these settings would change nothing, whatever they are set to, with what they would need:
   * refused where somebody set them. Where absent, every setting always counts.
   */
  idle?(settings: Readonly<Record<string, number | string | boolean>>, shape: PublicShape): IdleSettings;
  /** The releases for these settings; empty for methods without privacy. Reads no data. */
  plan(settings: Readonly<Record<string, number | string | boolean>>, shape: PublicShape): ReleasePlan;
  /**
   * Rows that are in this process do for every method. @throws NeedsRatingsError where people are elsewhere
   * and it needs rows
   */
  train(
    input:
      | TrainingInput<Readonly<Record<string, number | string | boolean>>>
      | PeopleInput<Readonly<Record<string, number | string | boolean>>>,
  ): Promise<TrainedModel>;
}
