import type { FactorModel, FoldInSettings, ItemModel } from './item-model.js';
import {
  isTexts,
  notAllFinite,
  notAmount,
  notCount,
  notFinite,
  notPositive,
  shown,
} from './number-checks.js';
import type { ModelManifest } from './published-model.js';
import { faultInRareModel } from './rare-model-check.js';

/**
 * What would make predictions from this model something else than finite numbers; undefined where nothing
 * does. Bytes can be exactly what was written, and sealed, and still hold a tensor that is not a number or a
 * ridge of 0.
 */
export async function faultInItemModel(model: ItemModel, itemCount: number): Promise<string | undefined> {
  const { feedback, offset } = model;
  if (feedback !== 'explicit' && feedback !== 'implicit')
    return `feedback is ${shown(feedback)}; "explicit" or "implicit" expected.`;
  return (
    notFinite('offset', offset) ??
    notAllFinite('item_bias', model.itemBias) ??
    (model.kind === 'baseline' ? undefined : notAllFinite('popularity', model.popularity)) ??
    (model.kind === 'factors' ? faultInFactors(model) : undefined) ??
    (await faultInRareModel(model, itemCount))
  );
}

function faultInFactors(model: FactorModel): string | undefined {
  return (
    notCount('rank', model.rank) ??
    notAllFinite('item_factors', model.itemFactors) ??
    faultInFoldIn(model.foldIn)
  );
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
