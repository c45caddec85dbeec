import { methodById, noiseToSignal, planRun, pluginOf, type SettingValues } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';
import { contentDigest, type FeatureSource, popularityBuckets, type RatingMatrix } from '@hushrec/ratings';
import type { EvaluateOptions, Evaluation } from '../evaluate-model.js';
import { type AskedMetric, askedName } from '../metrics/metric.js';
import { type OutcomeStore, once } from './outcome-store.js';
import { SideBySide } from './side-by-side.js';

/** One trained model of a sweep: where it stood and how good it was. */
export interface SweepCell {
  readonly method: string;
  readonly unit: string;
  /** The true ε of what was run; null without privacy. */
  readonly epsilon: number | null;
  readonly delta: number;
  /** The ε that was asked for; differs where an as-published calibration promises more than it keeps. */
  readonly nominalEpsilon: number | null;
  readonly run: number;
  /** Time of the training: in one thread where several were trained at a time. */
  readonly seconds: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly slices: readonly Readonly<Record<string, number>>[];
  /**
   * Noise over signal in what was last released about items, by the same slices; null where no signal can be
   * told from noise.
   */
  readonly noiseToSignal?: readonly (number | null)[];
}

/** What a protocol gives a sweep: ratings to train on, and the question asked of every model. */
export interface SweepSplit {
  readonly train: RatingMatrix;
  evaluate(
    model: Parameters<typeof import('../evaluate-model.js').evaluateModel>[0],
    options: EvaluateOptions,
  ): Promise<Evaluation>;
}

export interface SweepRequest {
  readonly split: SweepSplit;
  readonly features: readonly FeatureSource[];
  /**
   * Method names, with settings of their own where given, and with ε of their own in place of `epsilons`:
   * Infinity is a private method without its noise.
   */
  readonly methods: readonly {
    readonly id: string;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly epsilons?: readonly number[];
  }[];
  /** For private methods; methods without privacy run once per repeat. */
  readonly epsilons: readonly number[];
  readonly delta: DeltaInput;
  readonly repeats: number;
  readonly seed: number;
  readonly engine: Engine;
  readonly accounting?: 'exact' | 'rdp' | 'zcdp' | 'as-published';
  readonly declaredPeople?: number;
  /**
   * What the same data would give with the noise-to-signal ratio of a population of so many: the per-person
   * budget μ is multiplied by asIfPeople / people. Says nothing about the privacy of this data.
   */
  readonly asIfPeople?: number;
  /**
   * Which held-out part is asked; `test` unless given. Settings are chosen on `validation` (see
   * `runTunedSweep`).
   */
  readonly stage?: 'validation' | 'test';
  /** What is measured; what suits each model unless given. */
  readonly metrics?: readonly AskedMetric[];
  /** Distinguishes protocols in the store; ratings and features are told apart by their content. */
  readonly identity: string;
  readonly store: OutcomeStore;
  readonly progress?: (progress: {
    readonly stage: string;
    readonly done: number;
    readonly total: number;
  }) => void;
  readonly signal?: AbortSignal;
}

/** Asked for a larger population of a method whose noise does not scale that way. */
export class AsIfError extends RangeError {
  override readonly name = 'AsIfError';
  readonly kind = 'usage';
}

/**
 * Trains every method at every ε, `repeats` times with different seeds, and measures each model. All runs are
 * simulations (seeded): they compare methods, and nothing they make is published. Cells that the store
 * already has are not run again, so a sweep that was killed goes on where it was. As many are trained at a
 * time as the engine has threads.
 */
export async function runSweep(request: SweepRequest): Promise<SweepCell[]> {
  const sideBySide = new SideBySide(request.split.train, request.engine, request.signal);
  try {
    return await runCells(request, sideBySide);
  } finally {
    await sideBySide.close();
  }
}

/** The same among trainings that others may have asked for. */
export async function runCells(request: SweepRequest, sideBySide: SideBySide): Promise<SweepCell[]> {
  const jobs = request.methods.flatMap((method) =>
    epsilonsOf(request, method).flatMap((epsilon) =>
      Array.from({ length: request.repeats }, (_, run) => ({ ...method, epsilon, run })),
    ),
  );
  const data = digestOf(request);
  let done = 0;
  const cellOf = async (job: Job): Promise<SweepCell> => {
    request.progress?.({
      stage: `${job.id}${job.epsilon === Infinity ? '' : `, ε = ${job.epsilon}`}, run ${job.run + 1}`,
      done,
      total: jobs.length,
    });
    const planned = planCell(request, job);
    const plugin = pluginOf(planned.method);
    const key: CellKey = {
      identity: request.identity,
      data,
      stage: request.stage ?? 'test',
      method: job.id,
      ...(plugin && { plugin: plugin.sha256 }),
      settings: planned.settings,
      epsilon: job.epsilon === Infinity ? null : job.epsilon,
      delta: request.delta,
      seed: request.seed + job.run,
      accounting: request.accounting ?? 'exact',
      declaredPeople: request.declaredPeople ?? null,
      asIfPeople: request.asIfPeople ?? null,
      ...(request.metrics && { metrics: request.metrics.map(askedName) }),
    };
    const cell = await once(request.store, key, () => runCell(request, job, planned, sideBySide));
    done++;
    return { ...cell, run: job.run };
  };
  let failure: unknown;
  /** After a failure nothing more is begun. */
  const attempt = async (job: Job): Promise<SweepCell> => {
    if (failure !== undefined) throw failure;
    try {
      return await cellOf(job);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const cells = await Promise.all(jobs.map((job) => sideBySide.inTurn(() => attempt(job))));
  request.progress?.({ stage: 'done', done: jobs.length, total: jobs.length });
  return cells;
}

/** At which ε a method of a sweep runs. */
export function epsilonsOf(
  { epsilons }: Pick<SweepRequest, 'epsilons'>,
  method: SweepRequest['methods'][number],
): readonly number[] {
  return methodById(method.id).protects.length > 0 ? (method.epsilons ?? epsilons) : [Infinity];
}

const digests = new WeakMap<RatingMatrix, WeakMap<SweepRequest['features'], string>>();

/** Of ratings and features; taken once for all trials of a search. */
function digestOf({ split: { train }, features }: SweepRequest): string {
  const known = digests.get(train) ?? new WeakMap<SweepRequest['features'], string>();
  const digest = known.get(features) ?? contentDigest([train, features]);
  digests.set(train, known.set(features, digest));
  return digest;
}

interface Job {
  readonly id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly epsilon: EpsilonInput;
  readonly run: number;
}

/** Everything that decides the outcome of a cell, its settings as they were resolved. */
interface CellKey {
  readonly identity: string;
  /** Digest of the ratings trained on and of the public features. */
  readonly data: string;
  readonly stage: 'validation' | 'test';
  readonly method: string;
  /** SHA-256 of the plug-in that brought the method; absent for others. Other code is another outcome. */
  readonly plugin?: string;
  readonly settings: SettingValues;
  readonly epsilon: number | null;
  readonly delta: number;
  readonly seed: number;
  readonly accounting: string;
  readonly declaredPeople: number | null;
  readonly asIfPeople: number | null;
  /** Names of what was asked for; absent where nobody asked. */
  readonly metrics?: readonly string[];
}

/** What training will do at the nominal ε: settings with the method's own rules, and the releases. */
function planCell(request: SweepRequest, job: Job) {
  const { itemCount, scale } = request.split.train;
  return planRun({ ...specOf(request, job), epsilon: job.epsilon, itemCount, scale });
}

function specOf(request: SweepRequest, job: Job) {
  const declared = request.asIfPeople ?? request.declaredPeople;
  return {
    method: job.id,
    settings: job.settings,
    features: request.features,
    delta: job.epsilon === Infinity ? 0 : request.delta,
    seed: request.seed + job.run,
    accounting: { accounting: request.accounting ?? 'exact' },
    ...(declared !== undefined && { declaredPeople: declared }),
  } as const;
}

async function runCell(
  request: SweepRequest,
  job: Job,
  planned: ReturnType<typeof planCell>,
  sideBySide: SideBySide,
): Promise<SweepCell> {
  const { split } = request;
  const delta = job.epsilon === Infinity ? 0 : request.delta;
  const scaled =
    request.asIfPeople === undefined || job.epsilon === Infinity
      ? job.epsilon
      : asIfEpsilon(
          job.epsilon,
          delta,
          request.asIfPeople / split.train.userCount,
          planned.plan.releases.every(({ event }) => event.kind === 'gaussian'),
          job.id,
        );
  // Settings are those of the nominal ε: only the noise is that of another population.
  const { model, seconds, released } = await sideBySide.train({
    ...specOf(request, job),
    settings: planned.settings,
    epsilon: scaled,
  });
  const evaluation = await split.evaluate(model, {
    resamples: 0,
    ...(request.stage && { stage: request.stage }),
    ...(request.metrics && { metrics: request.metrics }),
  });
  const slices = evaluation.slices.length;
  const noise =
    slices > 0 && released
      ? noiseToSignal(released, popularityBuckets(split.train, slices).bucketOf, slices)
      : undefined;
  const values = (metrics: Evaluation['metrics']) =>
    Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));
  const isPrivate = planned.method.protects.length > 0;
  const isGaussian = isPrivate && planned.plan.releases.every(({ event }) => /gaussian/.test(event.kind));
  return {
    method: job.id,
    unit: isPrivate && job.epsilon !== Infinity ? planned.plan.unit : 'none',
    epsilon: Number.isFinite(planned.plan.epsilon) ? planned.plan.epsilon : null,
    delta,
    nominalEpsilon: job.epsilon === Infinity ? null : job.epsilon,
    run: job.run,
    seconds,
    metrics: values(evaluation.metrics),
    slices: evaluation.slices.map(({ metrics }) => values(metrics)),
    ...(noise && isGaussian && { noiseToSignal: noise }),
  };
}

/** ε of the run whose μ is `factor` times that of (ε, δ): algorithms with Gaussian noise alone. */
function asIfEpsilon(
  epsilon: EpsilonInput,
  delta: DeltaInput,
  factor: number,
  isGaussian: boolean,
  method: string,
): number {
  if (!isGaussian)
    throw new AsIfError(
      `${method} does not use Gaussian noise alone, so its noise cannot be rescaled to another population. Leave it out of --as-if-people.`,
    );
  return gaussianEpsilon(muFor(epsilon, delta) * factor, delta);
}
