import { methodById, planRun, trainModel } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import type { EvaluateOptions, Evaluation } from '../evaluate-model.js';
import type { CellKey, SweepStore } from './sweep-store.js';

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
  readonly seconds: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly slices: readonly Readonly<Record<string, number>>[];
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
  /** Method names, with settings of their own where given. */
  readonly methods: readonly { readonly id: string; readonly settings: Readonly<Record<string, unknown>> }[];
  /** For private methods; methods without privacy run once per repeat. */
  readonly epsilons: readonly number[];
  readonly delta: number;
  readonly repeats: number;
  readonly seed: number;
  readonly engine: Engine;
  readonly accounting?: 'exact' | 'rdp' | 'zcdp' | 'as-published';
  readonly declaredUsers?: number;
  /**
   * What the same data would give with the noise-to-signal ratio of a population of so many: the per-person budget μ is
   * multiplied by asIfUsers / people. Says nothing about the privacy of this data.
   */
  readonly asIfUsers?: number;
  /** Which held-out part is asked; `test` unless given. Settings are chosen on `validation` (see `runTunedSweep`). */
  readonly stage?: 'validation' | 'test';
  /** Distinguishes data and protocol in the store. */
  readonly identity: string;
  readonly store: SweepStore;
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
}

/**
 * Trains every method at every ε, `repeats` times with different seeds, and measures each model. All runs are
 * simulations (seeded): they compare methods, and nothing they make is published. Cells that the store already has are
 * not run again, so a sweep that was killed goes on where it was.
 */
export async function runSweep(request: SweepRequest): Promise<SweepCell[]> {
  const jobs = request.methods.flatMap(({ id, settings }) => {
    const isPrivate = methodById(id).protects.length > 0;
    return (isPrivate ? request.epsilons : [Infinity]).flatMap((epsilon) =>
      Array.from({ length: request.repeats }, (_, run) => ({ id, settings, epsilon, run })),
    );
  });
  const cells: SweepCell[] = [];
  for (const [done, job] of jobs.entries()) {
    request.signal?.throwIfAborted();
    request.progress?.({
      stage: `${job.id}${job.epsilon === Infinity ? '' : `, ε = ${job.epsilon}`}, run ${job.run + 1}`,
      done,
      total: jobs.length,
    });
    const key: CellKey = {
      identity: request.stage === 'validation' ? `${request.identity} validation` : request.identity,
      method: job.id,
      settings: job.settings,
      epsilon: job.epsilon === Infinity ? null : job.epsilon,
      delta: request.delta,
      seed: request.seed + job.run,
      accounting: request.accounting ?? 'exact',
      declaredUsers: request.declaredUsers ?? null,
      asIfUsers: request.asIfUsers ?? null,
      run: job.run,
    };
    let cell = request.store.find(key);
    if (cell === undefined) {
      cell = await runCell(request, job);
      await request.store.add(key, cell);
    }
    cells.push(cell);
  }
  request.progress?.({ stage: 'done', done: jobs.length, total: jobs.length });
  return cells;
}

async function runCell(
  request: SweepRequest,
  job: {
    readonly id: string;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly epsilon: number;
    readonly run: number;
  },
): Promise<SweepCell> {
  const { split, engine, features, signal } = request;
  const delta = job.epsilon === Infinity ? 0 : request.delta;
  const declared = request.asIfUsers ?? request.declaredUsers;
  const spec = {
    method: job.id,
    settings: job.settings,
    features,
    delta,
    seed: request.seed + job.run,
    accounting: { accounting: request.accounting ?? 'exact' },
    ...(declared !== undefined && { declaredUsers: declared }),
  } as const;
  const { itemCount, scale, userCount } = split.train;
  const planned = planRun({ ...spec, epsilon: job.epsilon, itemCount, scale });
  const scaled =
    request.asIfUsers === undefined || job.epsilon === Infinity
      ? job.epsilon
      : asIfEpsilon(
          job.epsilon,
          delta,
          request.asIfUsers / userCount,
          planned.plan.releases.every(({ event }) => event.kind === 'gaussian'),
          job.id,
        );
  const started = performance.now();
  // Settings are those of the nominal ε: only the noise is that of another population.
  const result = await trainModel({
    ...spec,
    settings: planned.settings,
    epsilon: scaled,
    ratings: split.train,
    engine,
    ...(signal && { hooks: { signal } }),
  });
  const seconds = (performance.now() - started) / 1000;
  const evaluation = await split.evaluate(result.model, {
    resamples: 0,
    ...(request.stage && { stage: request.stage }),
  });
  const values = (metrics: Evaluation['metrics']) =>
    Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));
  const isPrivate = planned.method.protects.length > 0;
  return {
    method: job.id,
    unit: isPrivate ? planned.plan.unit : 'none',
    epsilon: Number.isFinite(planned.plan.epsilon) ? planned.plan.epsilon : null,
    delta,
    nominalEpsilon: job.epsilon === Infinity ? null : job.epsilon,
    run: job.run,
    seconds,
    metrics: values(evaluation.metrics),
    slices: evaluation.slices.map(({ metrics }) => values(metrics)),
  };
}

/** ε of the run whose μ is `factor` times that of (ε, δ): algorithms with Gaussian noise alone. */
function asIfEpsilon(
  epsilon: number,
  delta: number,
  factor: number,
  isGaussian: boolean,
  method: string,
): number {
  if (!isGaussian)
    throw new AsIfError(
      `${method} does not use Gaussian noise alone, so its noise cannot be rescaled to another population. Leave it out of --as-if-users.`,
    );
  return gaussianEpsilon(muFor(epsilon, delta) * factor, delta);
}
