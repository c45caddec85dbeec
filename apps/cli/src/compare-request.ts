import type { AskedMetric, SweepSplit } from '@hushrec/evaluate';
import type { Goal } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import type { Dataset, FeatureSource, RatingScale } from '@hushrec/ratings';
import { checkEpsilon, checkRequest } from './check-request.js';
import { numberOption, OptionError } from './command.js';
import type { CompareFlags } from './commands/compare.js';
import { withoutPublishedPeople } from './held-out-people.js';
import { metricsAsked } from './metric-flags.js';
import { type ProtocolFlags, ratingsFor, splitFor } from './protocol.js';
import { measuredOnce } from './same-methods.js';
import { settingsOf } from './training-options.js';

/** Methods of a comparison, where none are named: what needs nobody's taste, no privacy, and privacy. */
export const comparedMethods = {
  rank: 'popularity,ials,ease,hush,dpals',
  stars: 'als,bayes-als,hush,dpals',
} as const;

/** What a comparison was asked for. */
export interface CompareRequest {
  /** What all of its methods are for. */
  readonly goal: Goal;
  readonly methods: readonly { readonly id: string; readonly settings: Record<string, string> }[];
  readonly epsilons: readonly number[];
  /** The first is that of the table, the curves and the tuning. Absent: what suits each model. */
  readonly metrics?: readonly AskedMetric[];
}

/** Reads the flags; what is wrong with them is said before any file is read. */
export async function compareRequest(
  flags: CompareFlags & Required<Pick<CompareFlags, 'protocol'>>,
): Promise<CompareRequest> {
  const { methodById, readSettings } = await import('@hushrec/factorize');
  const { metrics } = await metricsAsked(flags);
  const goal = flags.goal ?? goalOfMetrics(metrics);
  const methods = (flags.methods ?? comparedMethods[goal])
    .split(',')
    .map((id) => ({ id: methodById(id.trim()).id, settings: settingsFor(id.trim(), flags.set) }));
  if (flags.tune !== undefined && flags.protocol === 'leave-one-out')
    throw new OptionError(
      'leave-one-out has no validation part to tune on. Use --protocol holdout or strong-generalization, or leave --tune out.',
    );
  const epsilons = flags.epsilons.split(',').map(numberOption('epsilons'));
  for (const epsilon of epsilons) checkEpsilon('epsilons', epsilon);
  for (const { id, settings } of methods) readSettings(methodById(id).settings, settings);
  const { delta, features, liked } = flags;
  await checkRequest([], { delta, ...(features && { features }), ...(liked !== undefined && { liked }) });
  return { goal, methods, epsilons, ...(metrics && { metrics }) };
}

/** Lists, unless an error of predicted ratings is asked for. */
function goalOfMetrics(metrics: readonly AskedMetric[] = []): Goal {
  return metrics.some(({ metric: { needs } }) => needs === 'ratings') ? 'stars' : 'rank';
}

/**
 * From which rating on everyone learns likes, of `--liked` on or of what the declared scale calls liked;
 * nothing where stars are predicted, or where there are choices only.
 */
export async function likesOfComparison(
  { goal }: Pick<CompareRequest, 'goal'>,
  flags: Pick<ProtocolFlags, 'goal' | 'liked'>,
  scale: RatingScale,
): Promise<Pick<ProtocolFlags, 'liked'>> {
  const { likedFrom } = await import('@hushrec/ratings');
  const hasRatings = scale.min < scale.max;
  if (flags.goal === 'stars' && (!hasRatings || flags.liked !== undefined))
    throw new OptionError(
      hasRatings
        ? '--goal stars predicts ratings, and --liked leaves none: leave one of them out.'
        : 'This data has no ratings to predict: every pair counts 1. Leave --goal stars out.',
    );
  return goal === 'rank' && hasRatings ? { liked: flags.liked ?? likedFrom(scale) } : {};
}

/** `--set dpals.rank=16` for one method, `--set rank=16` for all that are compared. */
function settingsFor(method: string, pairs: readonly string[] | undefined): Record<string, string> {
  const own = (pairs ?? []).flatMap((pair) => {
    const [scope, rest] = /^([a-z-]+)\.(.+)$/.exec(pair)?.slice(1) ?? [];
    if (scope === undefined) return [pair];
    return scope === method ? [rest] : [];
  });
  return settingsOf(own);
}

/** A method that cannot learn from the data of a comparison. */
export interface LeftOutMethod {
  readonly id: string;
  readonly reason: string;
}

/**
 * Methods as they will run on these items, with settings that suit its feedback, each once; settings that
 * would change nothing are refused.
 */
export async function plannedMethods(
  { goal, methods, epsilons }: CompareRequest,
  { itemCount, scale }: SweepSplit['train'],
  features: readonly FeatureSource[],
  { delta, seed }: Pick<CompareFlags, 'delta' | 'seed'>,
) {
  const { CatalogueSizeError, methodById, planRun, SettingsError, settingsForFeedback } = await import(
    '@hushrec/factorize'
  );
  const leftOut: LeftOutMethod[] = [];
  const orLeftOut = <Fit>(
    id: string,
    cause: typeof SettingsError | typeof CatalogueSizeError,
    fit: () => Fit,
  ) => {
    try {
      return [fit()];
    } catch (error) {
      if (!(error instanceof cause)) throw error;
      leftOut.push({ id, reason: error.message });
      return [];
    }
  };
  const fit = methods.flatMap(({ id, settings: given }) =>
    orLeftOut(id, SettingsError, () => ({
      id,
      settings: settingsForFeedback(methodById(id), scale, given),
    })),
  );
  const compared = fit.flatMap(({ id, settings }) => {
    const isPrivate = methodById(id).protects.length > 0;
    return orLeftOut(id, CatalogueSizeError, () => {
      const planned = planRun({
        method: id,
        settings,
        refusesIdle: true,
        itemCount,
        scale,
        features,
        epsilon: isPrivate ? epsilons[0] : Infinity,
        delta: isPrivate && epsilons[0] !== Infinity ? delta : 0,
        seed,
      });
      return { id, settings, planned };
    });
  });
  if (compared.length === 0)
    throw new OptionError(
      `${leftOut.map(({ reason }) => reason).join(' ')}${goal === 'rank' ? ' --goal stars compares methods that predict ratings.' : ''}`,
    );
  return { ...measuredOnce(compared, (id) => methodById(id).settings, features), leftOut };
}

/** The protocol's training part, and the question that it asks of every model. */
export async function sweepSplit(
  dataset: Dataset,
  flags: ProtocolFlags,
  engine: Engine,
): Promise<SweepSplit> {
  const { evaluateModel } = await import('@hushrec/evaluate');
  const split = await splitFor(dataset, await ratingsFor(dataset, flags), flags);
  return {
    train: split.train,
    evaluate: (model, options) => {
      switch (split.protocol) {
        case 'holdout':
          return evaluateModel(model, split, 'holdout', engine, options);
        case 'strong-generalization':
          return evaluateModel(
            withoutPublishedPeople(model),
            split,
            'strong-generalization',
            engine,
            options,
          );
        default:
          return evaluateModel(model, split, 'leave-one-out', engine, options);
      }
    },
  };
}
