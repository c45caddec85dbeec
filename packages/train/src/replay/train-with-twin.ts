import {
  executeRun,
  type LeftMemory,
  type PlannedRun,
  type Progress,
  type Remembering,
  type RunData,
  type RunInput,
} from '@hushrec/factorize';
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
  readonly memory?: LeftMemory;
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
  readonly remember?: Remembering;
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
  const { features, publicSeed, remember, progress, signal, released } = request;
  const channel = new ReleaseChannel();
  const observed = observedRecorder(run.recorder, async (asked, value) => {
    await released?.(asked, value);
    await channel.put(asked, value);
  });
  const shared: SharedInput = {
    features,
    publicSeed,
    ...(remember && { remember }),
    ...(signal && { signal }),
  };
  const { unit } = run.plan;
  const [visible, data]: [RatingMatrix, RunData] =
    'ratings' in request
      ? [publicPart(request.ratings, unit), { ratings: request.ratings, coins: request.coins }]
      : [publicPartOfSums(request.people, unit), { people: request.people, coins: request.coins }];
  const first = outcomeOf(
    executeRun(run, {
      ...shared,
      ...data,
      engine: request.engine,
      recorder: observed,
      ...(progress && { progress }),
    }).finally(() => channel.end()),
  );
  const second = runTwin(run, { ...shared, ratings: visible, engine: request.twinEngine }, channel);
  second.catch(() => {}); // It is waited for, but not before the first one has ended.
  const trained = agreed(run.method.id, [await first, await second], channel, visible.itemCount, signal);
  return { ...trained, record: run.recorder.finish() };
}

type SharedInput = Pick<RunInput, 'features' | 'publicSeed' | 'remember'> & { signal?: AbortSignal };
type Trained = Awaited<ReturnType<typeof executeRun>>;
type Outcome = { readonly trained: Trained } | { readonly error: unknown };

function outcomeOf(run: Promise<Trained>): Promise<Outcome> {
  return run.then(
    (trained) => ({ trained }),
    (error: unknown) => ({ error }),
  );
}

/** The second run, which is told releases and holds no data. */
async function runTwin(
  run: PlannedRun,
  input: SharedInput & { readonly ratings: RatingMatrix; readonly engine: Engine },
  channel: ReleaseChannel,
): Promise<Outcome> {
  const recorder = createAnsweringRecorder(run.plan, channel);
  const outcome = await outcomeOf(executeRun(run, { ...input, coins: strangersCoins, recorder }));
  if ('error' in outcome) channel.leave(outcome.error as Error);
  else {
    channel.leave();
    recorder.finish();
  }
  return outcome;
}

/**
 * What the second run made, where it asked for every release of the first and made the same, bit for bit.
 *
 * @throws NotFromReleasesError where it did not; the error of the first run, or of `signal`, where there is
 * one
 */
function agreed(
  method: string,
  [first, second]: readonly [Outcome, Outcome],
  channel: ReleaseChannel,
  itemCount: number,
  signal: AbortSignal | undefined,
): Trained {
  if ('error' in second) {
    const { error } = second;
    // Where the second run failed first, the first one only passes that on.
    if ('error' in first && first.error !== error) throw first.error;
    signal?.throwIfAborted();
    throw new NotFromReleasesError(method, `${(error as Error).message}`, { cause: error });
  }
  if ('error' in first) throw first.error;
  signal?.throwIfAborted();
  const leftOver = channel.leftOver;
  if (leftOver !== undefined)
    throw new NotFromReleasesError(
      method,
      `${placeOf(leftOver)} was released, and is not asked for without data.`,
    );
  const difference = modelDifference(first.trained, second.trained, itemCount);
  if (difference !== undefined)
    throw new NotFromReleasesError(method, `${difference} differs without the data.`);
  return second.trained;
}

/** Coins of nobody in particular: a run that uses them for people shows it by differing. */
export const strangersCoins = peopleCoins(new RunSecret({ seed: 'nobody' }));
