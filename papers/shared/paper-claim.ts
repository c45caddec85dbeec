import type { ReleasePlan } from '@hushrec/privacy';

/**
 * What a paper claims beyond what is proved, and why it differs, for a plan. Reasons are clauses without
 * capital and full stop, as `nothingBecause` of a release has them; `why` has each of them as a sentence, so
 * that it can follow any other sentence.
 */
export function paperClaim(
  claim: string,
  ...reasons: readonly string[]
): Required<Pick<ReleasePlan, 'claimedByPaper'>> {
  const sentences = reasons.map((reason) => `${reason[0].toUpperCase()}${reason.slice(1)}.`);
  return { claimedByPaper: { claim, why: sentences.join(' ') } };
}
