import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor } from '@hushrec/privacy';
import type { CertificateStatement } from '../certificate.js';
import { oneInTwenty } from './spread-of-counts.js';
import { isTooNoisy, type NeededRange, type Usefulness } from './usefulness.js';

const count = new Intl.NumberFormat('en');

/** The verdict in a word or two. */
export function verdictWords({ verdict }: Pick<Usefulness, 'verdict'>): string {
  switch (verdict) {
    case 'worth-it':
      return 'Worth it';
    case 'weak':
      return 'Weak';
    case 'same-for-all':
      return 'The same list for everyone';
    case 'too-noisy':
      return 'Too noisy to be personal';
    default:
      return verdict satisfies never;
  }
}

/** What the numbers say, in a sentence or two. */
export function usefulnessWords(usefulness: Usefulness): string {
  const { items, itemsAboveNoise, verdict } = usefulness;
  const isNone = itemsAboveNoise === 0;
  const verb = itemsAboveNoise <= 1 ? 'stands' : 'stand';
  const standOut = `${isNone ? 'none' : count.format(itemsAboveNoise)} of ${count.format(items)} items ${verb} out from the noise`;
  switch (verdict) {
    case 'worth-it':
      return `Worth it: ${standOut}.`;
    case 'weak':
      return `Weak: ${standOut}. ${weakly(usefulness)}`;
    case 'same-for-all':
      return `The same list for everyone: ${standOut}, but no taste does, so the model has no vectors. More people or a larger ε may change that.`;
    case 'too-noisy':
      return `Too noisy to be personal: ${isNone ? '' : 'only '}${standOut}. What is recommended is what most people like, the same for everyone, without reasons.`;
    default:
      return verdict satisfies never;
  }
}

/** Where hardly an item stands out, none are told apart. */
function weakly(usefulness: Usefulness): string {
  return isTooNoisy(usefulness)
    ? 'That is fewer than a list is long: the rest of it is chosen by noise.'
    : 'Well-known items are told apart, others hardly.';
}

/** Noise over signal of head and tail, for those who want the numbers. */
export function noiseWords({ counts, vectors }: Usefulness): string {
  const ratio = (value: number | null) => (value === null ? 'all noise' : String(value));
  const both = (what: string, { head, tail }: Usefulness['counts']) =>
    `${what} ${ratio(head)} (most counted tenth), ${ratio(tail)} (least counted half)`;
  return `Noise over signal: ${[both('counts', counts), ...(vectors ? [both('vectors', vectors)] : [])].join('; ')}.`;
}

/** About how many people there are, and the standard deviation of what is said, as a part of it. */
export interface KnownPeople {
  readonly about: number;
  readonly error: number;
}

/**
 * The number of people that a certificate says, with the noise that it was released with. Undefined where it
 * says none, and where its noise is as large as the number itself: that is no figure to speak of.
 */
export function knownPeople({
  people,
  releases,
}: Pick<CertificateStatement, 'people' | 'releases'>): KnownPeople | undefined {
  if (people === undefined) return undefined;
  const noise = releases.find(({ name }) => name === 'people-count')?.noise ?? 0;
  const error = people.from === 'release' ? noise / people.about : 0;
  return error < 1 ? { about: people.about, error } : undefined;
}

/**
 * What would be worth it: so many times the people at the same ε, or the ε that has so many times the μ.
 * Undefined where it is already. A range where noise leaves one, in which people and their number's own noise
 * come together.
 */
export function enoughWords(
  { needed, neededRange, verdict }: Usefulness,
  epsilon: EpsilonInput | null,
  delta: DeltaInput,
  people?: KnownPeople,
): string | undefined {
  // How many people it takes for tastes to stand out is not known from counts.
  if (verdict === 'worth-it' || verdict === 'same-for-all') return undefined;
  const enough =
    neededRange === undefined ? enoughPeople(needed, people?.about) : enoughPeopleWithin(neededRange, people);
  if (epsilon === null || !(delta > 0)) return `${enough}.`;
  const raised = (times: number) =>
    String(Number(gaussianEpsilon(muFor(epsilon, delta) * times, delta).toPrecision(2)));
  if (neededRange === undefined) return `${enough}, or ε of about ${raised(needed)}, which protects less.`;
  return `${enough}, or ε of ${fromTo(neededRange, raised)}, which protects less.`;
}

/** Of a certificate without a range. */
function enoughPeople(needed: number, people?: number): string {
  return people === undefined
    ? `About ${Math.ceil(needed * 10) / 10} times as many people are needed`
    : `There are ${about(people)} people; about ${count.format(Number((people * needed).toPrecision(2)))} are needed`;
}

function enoughPeopleWithin(range: NeededRange, people?: KnownPeople): string {
  if (people === undefined) return `It takes ${fromTo(range, String)} times as many people`;
  const { low, high } = rangeOfPeople(range, people);
  return `There are ${about(people.about)} people; ${fromTo({ low, high }, (each) => count.format(Number(each.toPrecision(2))))} are needed`;
}

/** Two errors of logarithms, independent of each other. */
function rangeOfPeople({ low, high }: NeededRange, { about: people, error }: KnownPeople): NeededRange {
  const ofPeople = oneInTwenty * error;
  if (high === null) return { low: people * low * Math.exp(-ofPeople), high: null };
  const [middle, half] = [Math.sqrt(low * high), Math.log(high / low) / 2];
  const both = Math.exp(Math.hypot(half, ofPeople));
  return { low: Math.max(people, (people * middle) / both), high: people * middle * both };
}

function fromTo({ low, high }: NeededRange, words: (value: number) => string): string {
  if (high === null) return `at least about ${words(low)}`;
  return words(low) === words(high) ? `about ${words(low)}` : `about ${words(low)} to ${words(high)}`;
}

function about(people: number): string {
  return `about ${count.format(Number(people.toPrecision(2)))}`;
}
