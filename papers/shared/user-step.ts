import type { IdleRule } from '@hushrec/factorize';
import type { FactorModel } from '@hushrec/model';
import type { Engine, FactorMatrix } from '@hushrec/numerics';
import type { OwnQuestion, OwnStep } from './statistics/own-vectors.js';

/**
 * How people find their own vectors, as these settings describe it. Where feedback is implicit there is no
 * intercept: there is nothing to centre.
 */
export function makeUserStep(
  settings: {
    readonly feedback: string;
    readonly userRidge: number;
    readonly userRidgeExponent: number;
    readonly intercept: boolean;
    readonly interceptRidge: number;
    readonly unobservedWeight: number;
  },
  offset: number,
): OwnStep {
  const implicit = settings.feedback === 'implicit';
  return {
    feedback: implicit ? 'implicit' : 'explicit',
    offset,
    ridge: settings.userRidge,
    ridgeExponent: settings.userRidgeExponent,
    ...(settings.intercept && !implicit && { interceptRidge: settings.interceptRidge }),
    unobservedWeight: settings.unobservedWeight,
  };
}

/** When settings of the personal intercept count. */
export function idleIntercept(
  intercept: boolean,
  implicit: boolean,
): readonly IdleRule<'intercept' | 'interceptRidge'>[] {
  return [
    [implicit, 'feedback=explicit (choices have no intercept)', 'intercept', 'interceptRidge'],
    [!intercept, 'intercept=true', 'interceptRidge'],
  ];
}

/** The step at the present item vectors, which are copied: they move on while people still answer. */
export async function askPeople(engine: Engine, step: OwnStep, items: FactorMatrix): Promise<OwnQuestion> {
  const now = { ...items, data: items.data.slice() };
  const gramian = step.unobservedWeight > 0 ? await engine.gramian(items) : undefined;
  return { ...step, items: now, ...(gramian && { gramian }) };
}

/** Released item vectors as a model, whose fold-in is the same step on one person's device. */
export function foldInModel(step: OwnStep, items: FactorMatrix, counts?: Float64Array): FactorModel {
  return {
    kind: 'factors',
    feedback: step.feedback,
    rank: items.width,
    itemFactors: items.data,
    offset: step.offset,
    foldIn: {
      ridge: step.ridge,
      ridgeExponent: step.ridgeExponent,
      ...(step.interceptRidge !== undefined && { interceptRidge: step.interceptRidge }),
      unobservedWeight: step.unobservedWeight,
    },
    ...(counts && { popularity: Float32Array.from(counts) }),
  };
}
