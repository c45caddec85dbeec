import type { FactorModel, ItemModel, PublishedUsers } from './item-model.js';
import type { ModelLoss } from './loss.js';
import {
  isTexts,
  notAllFinite,
  notAmount,
  notCount,
  notFinite,
  notPositive,
  shown,
} from './number-checks.js';
import type { PersonFeatures } from './person-features.js';

/**
 * The part of `faultInItemModel` for what few models have: neighbours, averages, a loss, features of people,
 * published users. The client's bundle loads it on demand (`tools/client-bundle.mjs`).
 */
export async function faultInRareModel(model: ItemModel, itemCount: number): Promise<string | undefined> {
  switch (model.kind) {
    case 'factors':
      return faultInLoss(model) ?? faultInPersonFeatures(model.personFeatures) ?? faultInUsers(model.users);
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
