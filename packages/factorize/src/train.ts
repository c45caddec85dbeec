import type { ItemModel, TrainingFacts } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type DeltaInput,
  type EpsilonInput,
  type PrivacyRecord,
  type PrivacyTarget,
  peopleCoins,
  type RecorderOptions,
  type ReleaseRecorder,
  RunSecret,
  targetEpsilon,
} from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix, RatingScale } from '@hushrec/ratings';
import { SeededRandom } from '@hushrec/ratings/seeded-random';
import { requireAbout } from './define-method.js';
import { refuseIdle } from './idle-settings.js';
import type { Method, PeopleInput, Progress, PublicShape, TrainedModel, TrainingInput } from './method.js';
import type { LeftMemory, Remembering } from './method-memory.js';
import { methodById } from './registry.js';
import { readSettings } from './settings.js';
import { type ReleasedPart, watchReleases } from './watch-releases.js';
import { NoGuaranteeError, recorderWithoutPrivacy } from './without-privacy.js';

export type SettingValues = Readonly<Record<string, number | string | boolean>>;

/** What is needed to know the guarantee: no ratings among it. */
export interface PlanRequest {
  /** Name or method. */
  readonly method: string | Method;
  /** What the user set (`--set key=value`); the rest comes from the method's rules and defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * The settings are somebody's wishes for this very run, so that one that would change nothing is refused;
   * sweeps share settings between methods.
   */
  readonly refusesIdle?: boolean;
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly features?: readonly FeatureSource[];
  /** Target ε; Infinity trains without a guarantee. */
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly declaredPeople?: number;
  /** A seed makes the noise recomputable: the run is a simulation and protects nobody. */
  readonly seed?: number;
  /** How the noise is bound and charged: secret key for resuming, data identity, run name, ledger hook. */
  readonly noise?: Omit<RecorderOptions, 'seed'>;
  /** Options of `calibrate` besides ε and δ. */
  readonly accounting?: Omit<PrivacyTarget, 'epsilon' | 'delta'>;
}

/** A run before it has touched any data: its settings, its guarantee, and the way to its noise. */
export interface PlannedRun {
  readonly method: Method;
  readonly settings: SettingValues;
  readonly plan: CalibratedPlan;
  readonly recorder: ReleaseRecorder;
}

export interface TrainHooks {
  /** The guarantee is known and no rating has been read: the place to print it, or to stop. */
  readonly beforeData?: (run: PlannedRun) => void | Promise<void>;
  readonly progress?: (progress: Progress) => void;
  /** Shown every sum as it is released, noise included. */
  readonly released?: (part: ReleasedPart) => void;
  readonly signal?: AbortSignal;
}

export interface TrainRequest extends Omit<PlanRequest, 'itemCount' | 'scale'> {
  readonly ratings: RatingMatrix;
  /**
   * Ids of the people in the rows, which name their coins. Without them rows are numbered, so that a person
   * keeps her coins only as long as those before her stay.
   */
  readonly personIds?: readonly string[];
  readonly engine: Engine;
  readonly hooks?: TrainHooks;
  /** Leave a memory for the next run, and use that of the runs before. */
  readonly remember?: Remembering;
}

export interface TrainResult {
  readonly model: ItemModel;
  /** Seed of the public start: may be published. */
  readonly publicSeed: number;
  readonly record: PrivacyRecord;
  readonly plan: CalibratedPlan;
  readonly settings: SettingValues;
  readonly facts?: TrainingFacts;
  readonly memory?: LeftMemory;
}

/**
 * Settings → release plan → calibrated noise → recorder, from public knowledge alone.
 *
 * @throws SettingsError for a wrong setting, NoGuaranteeError for a finite ε with a method without privacy,
 * PrivacyParameterError for an ε that is no number above 0.
 */
export function planRun(request: PlanRequest): PlannedRun {
  targetEpsilon(request.epsilon);
  const method = typeof request.method === 'string' ? methodById(request.method) : request.method;
  const shape: PublicShape = {
    itemCount: request.itemCount,
    scale: request.scale,
    epsilon: request.epsilon,
    delta: request.delta,
    features: request.features ?? [],
    ...(request.declaredPeople !== undefined && { declaredPeople: request.declaredPeople }),
  };
  const given = request.settings ?? {};
  const settings = readSettings(method.settings, { ...method.suggest?.(shape, given), ...given });
  if (request.refusesIdle === true) refuseIdle(method, settings, given, shape);
  const plan = method.plan(settings, shape);
  if (method.protects.length === 0) {
    if (request.epsilon !== Infinity) throw new NoGuaranteeError(method.id, request.epsilon);
    const recorder = recorderWithoutPrivacy(plan, method.id, request.seed !== undefined);
    return { method, settings, plan: recorder.plan, recorder };
  }
  const { epsilon, delta, seed, noise, accounting } = request;
  const calibrated = calibrate(plan, { ...accounting, epsilon, delta });
  const recorder = createRecorder(calibrated, {
    ...noise,
    ...(seed !== undefined && noise?.secret === undefined && { seed }),
  });
  return { method, settings, plan: calibrated, recorder };
}

/**
 * Trains one model: plans and calibrates before any rating is read, lets the method release through its
 * recorder only, and checks at the end that the record equals the plan.
 *
 * @example const { model, record } = await trainModel({ method: 'als', ratings, epsilon: Infinity, delta: 0,
 * engine });
 */
export async function trainModel(request: TrainRequest): Promise<TrainResult> {
  const { ratings, engine, hooks = {}, features = [] } = request;
  const secret = new RunSecret({
    ...request.noise,
    ...(request.seed !== undefined && { seed: request.seed }),
  });
  const noise = { ...(engine.pool && { threads: engine.pool }), ...request.noise, secret };
  const run = planRun({ ...request, noise, itemCount: ratings.itemCount, scale: ratings.scale });
  run.method.checkSources?.(run.settings, features);
  if (run.method.asksAbout?.(run.settings)) requireAbout(run.method.id, { ratings });
  await hooks.beforeData?.(run);
  const { progress, signal } = hooks;
  signal?.throwIfAborted();
  const publicSeed = request.seed ?? secret.publicSeed();
  const trained = await executeRun(run, {
    ratings,
    features,
    engine,
    recorder: hooks.released ? watchReleases(run.recorder, hooks.released) : run.recorder,
    publicSeed,
    coins: peopleCoins(secret, request.personIds),
    ...(request.remember && { remember: request.remember }),
    ...(progress && { progress }),
    ...(signal && { signal }),
  });
  return {
    model: trained.model,
    publicSeed,
    record: run.recorder.finish(),
    plan: run.plan,
    settings: run.settings,
    ...(trained.facts && { facts: trained.facts }),
    ...(trained.memory && { memory: trained.memory }),
  };
}

/** What a planned run is carried out on. */
export type RunInput = RunContext & RunData;

/** Everyone's ratings in this process, or people who are elsewhere; each with its coins. */
export type RunData =
  | Pick<TrainingInput<SettingValues>, 'ratings' | 'coins'>
  | Pick<PeopleInput<SettingValues>, 'people' | 'coins'>;

/** Everything of a run but people's data. */
export interface RunContext
  extends Omit<TrainingInput<SettingValues>, 'settings' | 'random' | 'ratings' | 'coins'> {
  /** Seed of the public start. */
  readonly publicSeed: number;
}

/**
 * Carries out a planned run with the recorder it is given: the real one, or one that answers from releases.
 */
export function executeRun({ method, settings }: PlannedRun, input: RunInput): Promise<TrainedModel> {
  const { publicSeed, ...rest } = input;
  const random = new SeededRandom(publicSeed);
  return method.train({ ...rest, settings, random: () => random.uniform() });
}
