import type { AskedMetric, SweepSplit } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import type { Dataset, FeatureSource } from '@hushrec/ratings';
import { checkEpsilon, checkRequest } from './check-request.js';
import { numberOption, OptionError } from './command.js';
import type { CompareFlags } from './commands/compare.js';
import { withoutPublishedPeople } from './held-out-people.js';
import { metricsAsked } from './metric-flags.js';
import { type ProtocolFlags, ratingsFor, splitFor } from './protocol.js';
import { measuredOnce } from './same-methods.js';
import { settingsOf } from './training-options.js';

/** What a comparison was asked for. */
export interface CompareRequest {
  readonly methods: readonly { readonly id: string; readonly settings: Record<string, string> }[];
  readonly epsilons: readonly number[];
  /** Absent: what suits each model. */
  readonly metrics?: readonly AskedMetric[];
  /** The one of the table, the curves and the tuning, where it was named. */
  readonly metric?: string;
}

/** Reads the flags; what is wrong with them is said before any file is read. */
export async function compareRequest(
  flags: CompareFlags & Required<Pick<CompareFlags, 'protocol'>>,
): Promise<CompareRequest> {
  const { methodById, readSettings } = await import('@hushrec/factorize');
  const methods = flags.methods
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
  return { methods, epsilons, ...(await metricsOf(flags)) };
}

/** The metrics that are measured, and which of them decides. */
async function metricsOf(flags: CompareFlags): Promise<Pick<CompareRequest, 'metrics' | 'metric'>> {
  const {
    askedName,
    defaultCutoffs,
    metrics: known,
    readMetric,
    shownOfLists,
  } = await import('@hushrec/evaluate');
  const { metrics } = await metricsAsked(flags);
  const metric = flags.metric ?? (metrics && askedName(metrics[0]));
  if (metric === undefined) return {};
  readMetric(metric);
  const measured =
    metrics?.map(askedName) ??
    [...known.filter(({ needs }) => needs === 'ratings').map(({ name }) => name)].concat(
      shownOfLists(defaultCutoffs).map(askedName),
    );
  if (!measured.includes(metric))
    throw new OptionError(
      metrics === undefined
        ? `${metric} is not measured unless it is asked for: add --metrics ${metric}.`
        : `--metric is ${metric}, which is not among --metrics ${measured.join(',')}.`,
    );
  return { ...(metrics && { metrics }), metric };
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
  { methods, epsilons }: CompareRequest,
  { itemCount, scale }: SweepSplit['train'],
  features: readonly FeatureSource[],
  { delta, seed }: Pick<CompareFlags, 'delta' | 'seed'>,
) {
  const { methodById, planRun, SettingsError, settingsForFeedback } = await import('@hushrec/factorize');
  const leftOut: LeftOutMethod[] = [];
  const fit = methods.flatMap(({ id, settings: given }) => {
    try {
      return [{ id, settings: settingsForFeedback(methodById(id), scale, given) }];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      leftOut.push({ id, reason: error.message });
      return [];
    }
  });
  if (fit.length === 0) throw new OptionError(leftOut.map(({ reason }) => reason).join(' '));
  const compared = fit.map(({ id, settings }) => {
    const isPrivate = methodById(id).protects.length > 0;
    const planned = planRun({
      method: id,
      settings,
      refusesIdle: true,
      itemCount,
      scale,
      features,
      epsilon: isPrivate ? epsilons[0] : Infinity,
      delta: isPrivate ? delta : 0,
      seed,
    });
    return { id, settings, planned };
  });
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
