import {
  type Method,
  methodById,
  readSettings,
  type SettingValues,
  type TrainedModel,
} from '@hushrec/factorize';
import type { ItemModel, TrainingFacts } from '@hushrec/model';
import { canonicalJson } from '@hushrec/model/signing';
import type { Engine } from '@hushrec/numerics';
import {
  calibrate,
  type PeopleCoins,
  type PrivacyRecord,
  peopleCoins,
  type ReleaseRecorder,
  RunSecret,
} from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import { SeededRandom } from '@hushrec/ratings/seeded-random';
import { type Charter, noiseOnSum } from './charter.js';
import { CharterError } from './federation-errors.js';
import { type DiscoveredExchanges, discoverExchanges } from './sharing/sharing.js';

/** What everybody computes with, besides their own ratings: public. */
export interface PublicKnowledge {
  readonly engine: Engine;
  readonly features?: readonly FeatureSource[];
  /**
   * A method of one's own, which everybody who takes part must have; those of this project are found by name.
   */
  readonly method?: Method;
}

/** A finished run as one participant (or the coordinator, or an auditor) sees it. */
export interface FederatedResult {
  readonly model: ItemModel;
  readonly record: PrivacyRecord;
  readonly facts?: TrainingFacts;
}

/** No people: the coordinator's ratings, an auditor's, and everybody's in a dry run. */
export function noRatings({ catalogue }: Pick<Charter, 'catalogue'>): RatingMatrix {
  const { itemCount, scale } = catalogue;
  return {
    userCount: 0,
    itemCount,
    scale,
    byUser: {
      rowCount: 0,
      columnCount: itemCount,
      offsets: new Uint32Array(1),
      indices: new Uint32Array(0),
      values: new Float32Array(0),
    },
  };
}

/** The method of a charter. */
export function methodNamed(id: string, { method }: PublicKnowledge): Method {
  return method?.id === id ? method : methodById(id);
}

/** Coins where there is nobody to toss them. */
const nobodysCoins = peopleCoins(new RunSecret({ seed: 0 }));

/** The part of a charter that says what is run. */
type CharteredRun = Pick<Charter, 'method' | 'settings' | 'publicSeed'>;

/** Runs the charter's method, unchanged, on somebody's own ratings. */
export function trainAsChartered(
  charter: CharteredRun,
  knowledge: PublicKnowledge,
  ratings: RatingMatrix,
  recorder: ReleaseRecorder,
  { coins = nobodysCoins, signal }: { readonly coins?: PeopleCoins; readonly signal?: AbortSignal } = {},
): Promise<TrainedModel> {
  const { engine, features = [] } = knowledge;
  const random = new SeededRandom(charter.publicSeed);
  return methodNamed(charter.method, knowledge).train({
    ratings,
    features,
    settings: charter.settings,
    engine,
    recorder,
    random: () => random.uniform(),
    coins,
    ...(signal && { signal }),
  });
}

/** The exchanges before any later stage, found by running the method on nobody's ratings. */
export function dryRun(
  charter: CharteredRun & Pick<Charter, 'plan' | 'catalogue' | 'noise' | 'aggregators' | 'admission'>,
  knowledge: PublicKnowledge,
): Promise<DiscoveredExchanges> {
  return discoverExchanges(
    charter.plan,
    (recorder) => trainAsChartered(charter, knowledge, noRatings(charter), recorder),
    noiseOnSum(charter),
  );
}

/**
 * Checks that the charter's plan is what its method plans for its settings, its ε and δ, and that its
 * exchanges are what a dry run asks for: nobody has to believe either. Uses nobody's ratings.
 *
 * @throws CharterError
 */
export async function checkCharterByDryRun(charter: Charter, knowledge: PublicKnowledge): Promise<void> {
  const method = methodNamed(charter.method, knowledge);
  const { itemCount, scale } = charter.catalogue;
  const { epsilon, delta } = charter.plan;
  const settings: SettingValues = readSettings(method.settings, charter.settings);
  const plan = calibrate(
    method.plan(settings, { itemCount, scale, epsilon, delta, features: knowledge.features ?? [] }),
    { epsilon, delta },
  );
  if (canonicalJson(plan) !== canonicalJson(charter.plan))
    throw new CharterError(
      'its plan is not what its method plans for its settings.',
      'Use the code version that it names.',
    );
  const { exchanges } = await dryRun(charter, knowledge);
  if (canonicalJson(exchanges) !== canonicalJson(charter.exchanges))
    throw new CharterError(
      'its exchanges are not those that its method asks for.',
      'Use the code version that it names.',
    );
}
