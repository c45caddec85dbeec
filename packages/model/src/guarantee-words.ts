import {
  type DeltaInput,
  describeProtection,
  type EpsilonInput,
  type PrivacyUnit,
  type Relation,
  roundedUp,
} from '@hushrec/privacy';

/** A guarantee as certificates and plans state it. */
export interface Guarantee {
  readonly unit: PrivacyUnit | 'none';
  readonly relation: Relation | 'none';
  readonly released: string;
  /** Null or infinite: no finite guarantee. */
  readonly epsilon: EpsilonInput | null;
  readonly delta: DeltaInput;
  readonly claimedByPaper?: { readonly claim: string; readonly why: string } | undefined;
}

/** How much ε still hides: the ruler. */
export type Strength = 'strong' | 'clear' | 'weak' | 'mostly formal';

/** Ends of the ruler's parts: strong up to 1, clear up to 3, weak up to 8, mostly formal above. */
const strengthEnds = { strong: 1, clear: 3, weak: 8 } as const;

export function strengthOf(epsilon: EpsilonInput): Strength {
  if (epsilon <= strengthEnds.strong) return 'strong';
  if (epsilon <= strengthEnds.clear) return 'clear';
  return epsilon <= strengthEnds.weak ? 'weak' : 'mostly formal';
}

/** What an ε is worth, in a sentence. */
export function strengthSentence(epsilon: EpsilonInput): string {
  const factor = factorWords(epsilon);
  switch (strengthOf(epsilon)) {
    case 'strong':
      return `strong. Whatever is published is almost as likely without any one person's data: with it, at most ${factor} times as likely.`;
    case 'clear':
      return `clear. Whatever is published is at most ${factor} times as likely as it would be without any one person's data.`;
    case 'weak':
      return `weak. What is published may be ${factor} times as likely as it would be without a person's data: someone who suspects she is in it may become nearly sure.`;
    case 'mostly formal':
      return epsilon > 20
        ? `next to nothing. A bound of e^${epsilon} excludes hardly anything that could be learned about a person.`
        : `mostly formal. What is published may be ${factor} times as likely as it would be without a person's data: a bound that hardly any attack would meet.`;
  }
}

/** How sure someone can become who was sure by `prior`: p·e^ε/(1 − p + p·e^ε), exact for δ = 0. */
export function posteriorOf(prior: number, epsilon: EpsilonInput): number {
  return prior / (prior + (1 - prior) * Math.exp(-epsilon));
}

/** Best chance of an even-odds guess under (ε, δ)-DP: (e^ε + δ)/(1 + e^ε), Kairouz, Oh and Viswanath 2015. */
export function guessingBound(epsilon: EpsilonInput, delta: DeltaInput): number {
  return 1 - (1 - delta) / (1 + Math.exp(epsilon));
}

/**
 * A probability as people read it: 73%, 2.7%, > 99.9%. Rounded, as percentages are; the certificate has
 * the digits.
 */
export function percentWords(probability: number): string {
  const percent = 100 * probability;
  if (percent > 99.9) return '> 99.9%';
  // Near an even guess, too: from 50% to 50% would be no promise.
  const digits = percent < 10 || percent > 95 || Math.abs(percent - 50) < 1 ? 1 : 0;
  return `${Number(percent.toFixed(digits))}%`;
}

/** What the 50% are about: a person, a rating, or its value. */
function subjectOf(unit: Guarantee['unit']): string {
  switch (unit) {
    case 'rating-presence':
      return 'you rated this title';
    case 'rating-value':
      return 'you rated this title so and not otherwise';
    default:
      return 'you are in the data';
  }
}

/**
 * The promise in the words of a person it is made to, in parts: the two numbers are drawn by who shows it.
 */
export function promiseParts({
  unit,
  epsilon,
}: Pick<Guarantee, 'unit' | 'epsilon'>): readonly string[] | undefined {
  if (epsilon === null || !Number.isFinite(epsilon) || unit === 'none') return undefined;
  const most = percentWords(posteriorOf(0.5, epsilon));
  return [
    'Someone who is ',
    '50% sure',
    ` that ${subjectOf(unit)} can become at most `,
    `${most} sure`,
    ' by studying this model.',
  ];
}

/** The same as one sentence. */
export function promiseSentence(guarantee: Pick<Guarantee, 'unit' | 'epsilon'>): string | undefined {
  return promiseParts(guarantee)?.join('');
}

/** δ in words: "The exception has a chance of δ = one in a million." Empty for δ = 0. */
export function exceptionSentence(delta: DeltaInput): string {
  if (!(delta > 0)) return '';
  const power = -Math.log10(delta);
  const word = oneIn.get(Math.round(power));
  const said =
    word !== undefined && Math.abs(power - Math.round(power)) < 1e-6
      ? word
      : `about one in ${new Intl.NumberFormat('en').format(Number((1 / delta).toPrecision(2)))}`;
  return `The exception has a chance of δ = ${said}.`;
}

const oneIn: ReadonlyMap<number, string> = new Map([
  [3, 'one in a thousand'],
  [4, 'one in ten thousand'],
  [5, 'one in a hundred thousand'],
  [6, 'one in a million'],
  [7, 'one in ten million'],
  [9, 'one in a billion'],
]);

/** Who is protected. */
export function protectionSentence({ unit, relation }: Pick<Guarantee, 'unit' | 'relation'>): string {
  return unit === 'none' || relation === 'none'
    ? 'Protected: nobody.'
    : `Protected: ${describeProtection(unit, relation)}.`;
}

/** What a paper says that is not proved. */
export function paperSentence({
  claimedByPaper,
  epsilon,
}: Pick<Guarantee, 'claimedByPaper' | 'epsilon'>): string | undefined {
  if (claimedByPaper === undefined) return undefined;
  const differs = epsilon === null || !Number.isFinite(epsilon) ? '' : ' What is proved differs.';
  return `The paper claims ${claimedByPaper.claim}.${differs} ${claimedByPaper.why}`;
}

/** e^ε as a factor that people can read: a bound, hence rounded up. */
function factorWords(epsilon: number): string {
  const value = Math.exp(epsilon);
  return value < 1e4 ? String(roundedUp(value, 3)) : roundedUp(value, 2).toExponential(1);
}

/** ε as people read it: rounded up, never down; ∞ where there is no bound. */
export function shownEpsilon(epsilon: number | null, digits?: number): string {
  return epsilon === null || epsilon === Infinity ? '∞' : String(roundedUp(epsilon, digits));
}

/** δ as people write it: 1e-6 rather than 0.000001. Digits beyond four are rounded up, never down. */
export function deltaWords(delta: DeltaInput): string {
  if (delta === 0 || delta >= 0.001) return String(delta);
  const [digits, exponent] = delta.toExponential(12).split('e') as [string, string];
  const short = Math.ceil(Number((Number(digits) * 1000).toFixed(6))) / 1000;
  return short >= 10 ? `1e${Number(exponent) + 1}` : `${short}e${exponent}`;
}

/** The whole guarantee in sentences, for someone who has to decide. */
export function guaranteeSentences(guarantee: Guarantee): string[] {
  const { epsilon, delta, released } = guarantee;
  const paper = paperSentence(guarantee);
  if (epsilon === null || !Number.isFinite(epsilon))
    return [
      paper === undefined
        ? `No privacy: ${released.replace(/^exact /, '')} are computed exactly and nobody is protected.`
        : `No privacy guarantee: ${released} get the noise of the paper, for which no finite ε is proved.`,
      ...(paper === undefined ? [] : [paper]),
      'Keep it for comparison; do not publish it.',
    ];
  return [
    protectionSentence(guarantee),
    `${promiseSentence(guarantee)} ${exceptionSentence(delta)}`.trim(),
    `Published: ${released}. Whatever anyone concludes from it is at most e^ε ≈ ${factorWords(epsilon)} times as likely as without that data, plus δ (ε = ${shownEpsilon(epsilon)}, δ = ${deltaWords(delta)}).`,
    ...(paper === undefined ? [] : [paper]),
  ];
}
