import { gaussianEpsilon, muFor } from '@hushrec/privacy';
import type { Usefulness } from './usefulness.js';

const count = new Intl.NumberFormat('en');

/** The verdict in a word or two. */
export function verdictWords({ verdict }: Pick<Usefulness, 'verdict'>): string {
  switch (verdict) {
    case 'worth-it':
      return 'Worth it';
    case 'weak':
      return 'Weak';
    case 'too-noisy':
      return 'Too noisy to be personal';
    default:
      return verdict satisfies never;
  }
}

/**
 * What the numbers say, in a sentence or two.
 *
 * @param wording `first`: as certificates said it before none was said of 0 ("only 0 of 40 items stand out")
 */
export function usefulnessWords(usefulness: Usefulness, wording: 'present' | 'first' = 'present'): string {
  const { items, itemsAboveNoise, verdict } = usefulness;
  const isNone = itemsAboveNoise === 0 && wording === 'present';
  const standOut = isNone
    ? `none of ${count.format(items)} items stands out of the noise`
    : `${count.format(itemsAboveNoise)} of ${count.format(items)} items stand out of the noise`;
  switch (verdict) {
    case 'worth-it':
      return `Worth it: ${standOut}.`;
    case 'weak':
      return `Weak: ${standOut}. Well-known items are told apart, others hardly.`;
    case 'too-noisy':
      return `Too noisy to be personal: ${isNone ? '' : 'only '}${standOut}. What is recommended is what most people like, the same for everyone, without reasons.`;
    default:
      return verdict satisfies never;
  }
}

/** Noise over signal of head and tail, for those who want the numbers. */
export function noiseWords({ counts, vectors }: Usefulness): string {
  const ratio = (value: number | null) => (value === null ? 'all noise' : String(value));
  const both = (what: string, { head, tail }: Usefulness['counts']) =>
    `${what} ${ratio(head)} (most counted tenth), ${ratio(tail)} (least counted half)`;
  return `Noise over signal: ${[both('counts', counts), ...(vectors ? [both('vectors', vectors)] : [])].join('; ')}.`;
}

/**
 * What would be worth it: so many times the people at the same ε, or the ε that has so many times the μ.
 * Undefined where it is already. `people` is a public figure: released, or declared.
 */
export function enoughWords(
  { needed, verdict }: Usefulness,
  epsilon: number | null,
  delta: number,
  people?: number,
): string | undefined {
  if (verdict === 'worth-it') return undefined;
  const times = Math.ceil(needed * 10) / 10;
  const enough =
    people === undefined
      ? `about ${times} times as many people`
      : `about ${count.format(Number((people * needed).toPrecision(2)))} people instead of about ${count.format(Number(people.toPrecision(2)))}`;
  if (epsilon === null || !(delta > 0)) return `Enough would be ${enough}.`;
  const raised = gaussianEpsilon(muFor(epsilon, delta) * needed, delta);
  return `Enough would be ${enough}, or ε of about ${Number(raised.toPrecision(2))}, which protects less.`;
}
