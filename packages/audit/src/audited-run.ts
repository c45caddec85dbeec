import { type Method, readSettings, type SettingsSchema } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import { encodeItemModel, encodeTensors } from '@hushrec/model/making';
import { canonicalJson } from '@hushrec/model/signing';
import type { Engine } from '@hushrec/numerics';
import {
  type CalibratedPlan,
  calibrate,
  type DeltaInput,
  type EpsilonInput,
  peopleCoins,
  type ReleaseRecorder,
  RunSecret,
  sha256Hex,
} from '@hushrec/privacy';
import { type RatingMatrix, type RatingScale, SeededRandom } from '@hushrec/ratings';
import { replaying, type Transcript, TranscriptMismatchError } from './transcript.js';
import { planOfWideClips, stagesOfWideClips, type WidenedClip, widenedClips } from './without-clips.js';

/** A method with its settings and plan fixed, ready to be trained many times on small data. */
export interface AuditedMethod {
  /** What runs follow. */
  readonly plan: CalibratedPlan;
  /** What is promised: the same plan, unless clips were widened. */
  readonly claimed: CalibratedPlan;
  /** Clips that were widened on purpose; empty in an audit of the method as it is. */
  readonly widened: readonly WidenedClip[];
  /**
   * Trains on the data through the recorder; `seed` fixes public randomness. Returns a hash of the published
   * model.
   */
  train(ratings: RatingMatrix, recorder: ReleaseRecorder, seed: number): Promise<string>;
  /**
   * Trains on the data, told what another run released: what the data would have given, and the model.
   * `undefined` when this data would not have released the same things at all.
   */
  replay(
    ratings: RatingMatrix,
    transcript: Transcript,
    seed: number,
  ): Promise<{ readonly exact: Transcript; readonly model: string } | undefined>;
}

export interface AuditedMethodOptions {
  readonly method: Method;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  readonly scale: RatingScale;
  readonly itemCount: number;
  readonly engine: Engine;
  /** Trains with clips so wide that they clip nothing, under the plan and the noise of those that do. */
  readonly withoutClips?: boolean;
  readonly signal?: AbortSignal;
}

export function prepareMethod(options: AuditedMethodOptions): AuditedMethod {
  const { method, epsilon, delta, scale, itemCount, engine, signal } = options;
  const shape = { itemCount, scale, epsilon, delta, features: [] };
  const claimed = readSettings(method.settings, {
    ...method.suggest?.(shape, options.settings ?? {}),
    ...smallSettings(method.settings),
    ...options.settings,
  });
  const claimedPlan = calibrate(method.plan(claimed, shape), { epsilon, delta });
  const { settings, clips: widened } = options.withoutClips
    ? widenedClips(method, claimed)
    : { settings: claimed, clips: [] };
  const plan = options.withoutClips ? planOfWideClips(method, claimedPlan, settings, shape) : claimedPlan;
  const train: AuditedMethod['train'] = async (ratings, given, seed) => {
    const recorder = options.withoutClips ? stagesOfWideClips(given, claimedPlan) : given;
    const random = new SeededRandom(seed);
    const { model } = await method.train({
      ratings,
      features: [],
      settings,
      engine,
      recorder,
      random: () => random.uniform(),
      // The adversary knows the public start and replays it; coins of sampling are secret in a real run.
      coins: peopleCoins(new RunSecret(recorder.simulation ? { seed } : {})),
      ...(signal && { signal }),
    });
    return fingerprint(model, itemCount);
  };
  return {
    plan,
    claimed: claimedPlan,
    widened,
    train,
    async replay(ratings, transcript, seed) {
      const { recorder, exact } = replaying(plan, transcript);
      try {
        return { exact, model: await train(ratings, recorder, seed) };
      } catch (error) {
        if (error instanceof TranscriptMismatchError) return undefined;
        throw error;
      }
    },
  };
}

/** Sizes for quick runs, and a weak personal ridge so that the canary's vector reaches its clip. */
function smallSettings(schema: SettingsSchema): Record<string, number> {
  const small = {
    rank: 2,
    rounds: 2,
    neighbours: 5,
    userRidge: 1e-3,
  };
  return Object.fromEntries(
    Object.entries(small).filter(([key, value]) => {
      const setting = schema[key];
      return (
        (setting?.type === 'integer' || setting?.type === 'number') &&
        value >= setting.min &&
        value <= setting.max
      );
    }),
  );
}

function fingerprint(model: ItemModel, itemCount: number): string {
  const { description, tensors } = encodeItemModel(model, itemCount);
  return sha256Hex(canonicalJson(description)) + sha256Hex(encodeTensors(tensors));
}
