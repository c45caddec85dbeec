import type { FactorModel, FoldInSettings, ItemModel, PublishedUsers } from './item-model.js';
import type { ModelLoss } from './loss.js';
import type { PersonFeatures } from './person-features.js';
import type { ModelManifest } from './published-model.js';

/**
 * What would make predictions from this model something else than finite numbers; undefined where nothing
 * does. Bytes can be exactly what was written, and sealed, and still hold a tensor that is not a number or a
 * ridge of 0.
 */
export function faultInItemModel(model: ItemModel, itemCount: number): string | undefined {
  const { feedback, offset } = model;
  if (feedback !== 'explicit' && feedback !== 'implicit')
    return `feedback is ${shown(feedback)}; "explicit" or "implicit" expected.`;
  return (
    notFinite('offset', offset) ??
    notAllFinite('item_bias', model.itemBias) ??
    (model.kind === 'baseline' ? undefined : notAllFinite('popularity', model.popularity)) ??
    faultInKind(model, itemCount)
  );
}

function faultInKind(model: ItemModel, itemCount: number): string | undefined {
  switch (model.kind) {
    case 'factors':
      return (
        notCount('rank', model.rank) ??
        notAllFinite('item_factors', model.itemFactors) ??
        faultInFoldIn(model.foldIn) ??
        faultInLoss(model) ??
        faultInPersonFeatures(model.personFeatures) ??
        faultInUsers(model.users)
      );
    case 'neighbours':
      return (
        notCount('k', model.k) ??
        notAllFinite('similarities', model.similarities) ??
        notAmount('userShrinkage', model.userShrinkage) ??
        faultInNeighbours(model.neighbours, itemCount)
      );
    case 'baseline':
      return (
        (model.userShrinkage === undefined ? undefined : notAmount('userShrinkage', model.userShrinkage)) ??
        faultInUsers(model.users)
      );
    default:
      return model satisfies never;
  }
}

/** What is wrong with the lists and ranges of a manifest. */
export function faultInManifest(manifest: ModelManifest): string | undefined {
  const { itemIds, titles, links, images, scale, method, settings } = manifest;
  if (typeof method !== 'string') return 'method is not a text.';
  if (typeof settings !== 'object' || settings === null) return 'settings are missing.';
  if (!isTexts(itemIds)) return 'itemIds is not a list of texts.';
  if (new Set(itemIds).size !== itemIds.length) return 'an item stands in itemIds twice.';
  for (const [name, list] of Object.entries({ titles, links, images }))
    if (list !== undefined && (!isTexts(list) || list.length !== itemIds.length))
      return `${name} is not a list of ${itemIds.length} texts.`;
  if (scale === undefined) return undefined;
  return faultInRange('scale', scale) ?? notAmount('scale.step', scale.step);
}

function faultInFoldIn(settings: FoldInSettings): string | undefined {
  if (typeof settings !== 'object' || settings === null) return 'foldIn is missing.';
  const {
    ridge,
    ridgeExponent,
    ridgeCountOffset = 0,
    interceptRidge = 0,
    unobservedWeight,
    grades,
  } = settings;
  return (
    notPositive('foldIn.ridge', ridge) ??
    notFinite('foldIn.ridgeExponent', ridgeExponent) ??
    notAmount('foldIn.ridgeCountOffset', ridgeCountOffset) ??
    notAmount('foldIn.interceptRidge', interceptRidge) ??
    notAmount('foldIn.unobservedWeight', unobservedWeight) ??
    (grades === undefined
      ? undefined
      : (faultInRange('foldIn.grades', grades) ?? notPositive('foldIn.grades', grades.max - grades.min)))
  );
}

function faultInRange(name: string, range: { min: number; max: number } | null): string | undefined {
  const { min, max } = range ?? {};
  return (
    notFinite(`${name}.min`, min) ??
    notFinite(`${name}.max`, max) ??
    (min! > max! ? `${name} runs from ${min} to ${max}.` : undefined)
  );
}

/** A loss this version cannot fit by would give other recommendations than the model was made for. */
function faultInLoss({ loss, feedback, foldIn, users, personFeatures }: FactorModel): string | undefined {
  if (loss === undefined) return undefined;
  if (loss?.kind !== 'logistic' && loss?.kind !== 'poisson')
    return `loss is ${shown((loss as ModelLoss | null)?.kind)}; one of logistic, poisson expected.`;
  if (feedback !== 'explicit') return 'a loss needs explicit feedback.';
  if (foldIn.unobservedWeight !== 0) return 'foldIn.unobservedWeight must be 0 with a loss.';
  if (users !== undefined) return 'a loss has no userIds.';
  if (personFeatures !== undefined) return 'a loss has no personFeatures.';
  return (
    // Without a ridge an intercept has no minimum where all was liked.
    notPositive('foldIn.interceptRidge', foldIn.interceptRidge ?? 1) ??
    (loss.kind === 'logistic' ? notFinite('loss.likedFrom', loss.likedFrom) : undefined)
  );
}

function faultInPersonFeatures(features: PersonFeatures | undefined): string | undefined {
  if (features === undefined) return undefined;
  const { names, weights, factors } = features;
  if (!isTexts(names) || new Set(names).size !== names.length)
    return 'personFeatures.names is not a list of different texts.';
  if (!Array.isArray(weights) || weights.length !== names.length)
    return `personFeatures.weights is not a list of ${names.length} numbers.`;
  return (
    weights.reduce<string | undefined>(
      (fault, each) => fault ?? notPositive('personFeatures.weights', each),
      undefined,
    ) ?? notAllFinite('person_features', factors)
  );
}

function faultInUsers(users: PublishedUsers | undefined): string | undefined {
  if (users === undefined) return undefined;
  if (!isTexts(users.ids)) return 'userIds is not a list of texts.';
  return notAllFinite('user_factors', users.factors) ?? notAllFinite('user_bias', users.bias);
}

function faultInNeighbours(neighbours: Int32Array, itemCount: number): string | undefined {
  const at = neighbours.findIndex((item) => item < -1 || item >= itemCount);
  return at < 0 ? undefined : `neighbours names item ${neighbours[at]} of ${itemCount}.`;
}

/** Of a tensor, which may be absent. */
function notAllFinite(name: string, values: Float32Array | undefined): string | undefined {
  const at = values?.findIndex((each) => !Number.isFinite(each)) ?? -1;
  return at < 0 ? undefined : `${name} holds ${values![at]} at position ${at}.`;
}

function notPositive(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a number > 0 expected.`;
}

function notFinite(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a finite number expected.`;
}

function notAmount(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a number ≥ 0 expected.`;
}

function notCount(name: string, value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0
    ? undefined
    : `${name} is ${shown(value)}; a whole number > 0 expected.`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A value in a message: never long. */
function shown(value: unknown): string {
  return typeof value === 'object' ? 'no number' : String(value).slice(0, 40);
}
