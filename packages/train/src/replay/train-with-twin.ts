import { executeRun, type PlannedRun, type Progress, type RunData, type RunInput } from '@hushrec/factorize';
import type { ItemModel, TrainingFacts } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  createAnsweringRecorder,
  observedRecorder,
  type PrivacyRecord,
  peopleCoins,
  placeOf,
  type ReleasedValue,
  type ReleaseRequest,
  RunSecret,
} from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import { publicPart, publicPartOfSums } from './public-part.js';
import { ReleaseChannel } from './release-channel.js';
import { modelDifference } from './same-model.js';

/** What a run gives, made by its twin that saw nothing but releases. */
export interface TwinResult {
  readonly model: ItemModel;
  readonly facts?: TrainingFacts;
  readonly record: PrivacyRecord;
}

/** A run whose model is not a function of what it released. Nothing of it may be published. */
export class NotFromReleasesError extends Error {
  override readonly name = 'NotFromReleasesError';
  readonly kind = 'privacy';
  constructor(method: string, detail: string, options?: ErrorOptions) {
    super(
      `${method} made something that does not follow from its releases: ${detail} Nothing is published. This is a fault in the method; please report it.`,
      options,
    );
  }
}

export interface TwinContext {
  readonly features: readonly FeatureSource[];
  readonly engine: Engine;
  /** Engine of the second run: the same kernel, in this thread. */
  readonly twinEngine: Engine;
  readonly publicSeed: number;
  readonly progress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Told every release as it is made, before the run goes on. */
  readonly released?: (request: ReleaseRequest, value: ReleasedValue) => void | Promise<void>;
}

export type TwinRequest = TwinContext & RunData;

/**
 * Trains twice, in step: once on the data, and once on what the unit of privacy leaves public, told each
 * release as it is made. What is returned is the second run's model: a function of releases and public
 * knowledge by construction. If the first run's differs in a single bit, or asked for anything else,
 * something went round the recorder, and both are thrown away.
 */
export async function trainWithTwin(run: PlannedRun, request: TwinRequest): Promise<TwinResult> {
  const { features, publicSeed, progress, signal, released } = request;
  const channel = new ReleaseChannel();
  const observed = observedRecorder(run.recorder, async (asked, value) => {
    await released?.(asked, value);
    await channel.put(asked, value);
  });
  const shared: Pick<RunInput, 'features' | 'publicSeed'> & { signal?: AbortSignal } = {
    features,
    publicSeed,
    ...(signal && { signal }),
  };
  const { unit } = run.plan;
  const [visible, data]: [RatingMatrix, RunData] =
    'ratings' in request
      ? [publicPart(request.ratings, unit), { ratings: request.ratings, coins: request.coins }]
      : [publicPartOfSums(request.people, unit), { people: request.people, coins: request.coins }];
  const first = executeRun(run, {
    ...shared,
    ...data,
    engine: request.engine,
    recorder: observed,
    ...(progress && { progress }),
  }).finally(() => channel.end());
  const answering = createAnsweringRecorder(run.plan, channel);
  const second = executeRun(run, {
    ...shared,
    ratings: visible,
    coins: strangersCoins,
    engine: request.twinEngine,
    recorder: answering,
  }).then(
    (trained) => {
      channel.leave();
      answering.finish();
      return { trained };
    },
    (error: Error) => {
      channel.leave(error);
      return { error };
    },
  );
  const failed = await first.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const twin = await second;
  // Where the second run failed first, the first one only passes that on.
  if (failed !== undefined && !('error' in twin && failed.error === twin.error)) throw failed.error;
  signal?.throwIfAborted();
  const { id } = run.method;
  if ('error' in twin) throw new NotFromReleasesError(id, `${twin.error.message}`, { cause: twin.error });
  const leftOver = channel.leftOver;
  if (leftOver !== undefined)
    throw new NotFromReleasesError(
      id,
      `${placeOf(leftOver)} was released, and is not asked for without data.`,
    );
  const difference = modelDifference(await first, twin.trained, visible.itemCount);
  if (difference !== undefined) throw new NotFromReleasesError(id, `${difference} differs without the data.`);
  return { ...twin.trained, record: run.recorder.finish() };
}

/** Coins of nobody in particular: a run that uses them for people shows it by differing. */
export const strangersCoins = peopleCoins(new RunSecret({ seed: 'nobody' }));
