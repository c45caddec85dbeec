import type { Usefulness } from '@hushrec/model/usefulness';

/** When a new model may take the place of the live one. */
export const gates = ['worth-it', 'not-worse'] as const;
export type Gate = (typeof gates)[number];

const order: readonly Usefulness['verdict'][] = ['too-noisy', 'same-for-all', 'weak', 'worth-it'];

/**
 * Why a new model must not go live; undefined where it may. It sees what certificates say of usefulness,
 * which follows from released numbers: what is published then costs no privacy. A figure measured on people
 * (recall, RMSE) must never get in here: whether a model was replaced can be seen by everyone.
 *
 * @param live of the model that is live: undefined where its certificate says nothing, null where there is
 * none
 */
export function whyHeldBack(
  gate: Gate,
  next: Usefulness | undefined,
  live: Usefulness | undefined | null,
): string | undefined {
  if (gate === 'not-worse' && live === null) return undefined;
  if (next === undefined)
    return 'its certificate does not say how useful it is (the method releases no counts), so that nothing can be decided from it';
  if (gate === 'worth-it')
    return next.verdict === 'worth-it'
      ? undefined
      : `its verdict is ${next.verdict}, and only worth-it is published`;
  if (live === undefined || live === null)
    return 'the certificate of the live model does not say how useful that one is, so that the two cannot be compared';
  if (order.indexOf(next.verdict) < order.indexOf(live.verdict))
    return `its verdict is ${next.verdict}, that of the live model ${live.verdict}`;
  return isSurelyWorse(next, live)
    ? 'its noise over signal is higher than that of the live model by more than chance explains'
    : undefined;
}

/**
 * Whether the new model needs more signal than the live one, whatever the noise of both was: nine in ten
 * times what is needed lies within its range.
 */
function isSurelyWorse({ neededRange: next }: Usefulness, { neededRange: live }: Usefulness): boolean {
  return next !== undefined && live !== undefined && live.high !== null && next.low > live.high;
}
