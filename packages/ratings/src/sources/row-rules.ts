import type { RatingScale } from '../rating-matrix.js';
import { describeScale, isOnScale, isTwoGrades } from '../rating-scale.js';

/** Ids longer than this many bytes of UTF-8 are taken for damaged rows. */
export const longestId = 512;
/** Times above this are milliseconds: as seconds they would lie beyond the year 5000. */
export const millisecondsAbove = 1e11;
/** Times beyond this are neither seconds nor milliseconds. */
export const largestTime = 1e14;

const decimalNumber = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** A decimal number, or NaN. Stricter than `Number`: no hexadecimal, no empty text, no infinity. */
export function parseDecimal(text: string): number {
  const trimmed = text.trim();
  return decimalNumber.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/**
 * Seconds since 1970 from seconds, milliseconds or an ISO 8601 date and time (UTC unless it says otherwise);
 * NaN if neither.
 */
export function parseTime(text: string): number {
  const number = parseDecimal(text);
  if (!Number.isNaN(number)) return secondsFromNumber(number);
  const iso =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}(?::?\d{2})?)?)?$/.exec(
      text.trim(),
    );
  if (iso === null) return Number.NaN;
  const [, day, clock = '00:00', zone = 'Z'] = iso;
  const fullZone =
    zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return Date.parse(`${day}T${clock}${fullZone}`) / 1000;
}

/** Seconds as they are, milliseconds divided; NaN beyond both. */
export function secondsFromNumber(number: number): number {
  const size = Math.abs(number);
  if (!(size <= largestTime)) return Number.NaN;
  return size > millisecondsAbove ? number / 1000 : number;
}

/**
 * What stands before a text in some encodings and cannot be seen. Inside of a file it is left over from files
 * that were joined: with it, one person would count as two, and be protected only half.
 */
export const byteOrderMark = '\ufeff';

/** Why an id is refused, or undefined. */
export function idProblem(id: string, what: 'user' | 'item'): string | undefined {
  if (id === '') return `the ${what} id is empty`;
  if (id.includes(byteOrderMark))
    return `there is a byte-order mark (U+FEFF) in the ${what} id, as where files were joined`;
  if (id.length * 3 > longestId && Buffer.byteLength(id) > longestId)
    return `the ${what} id is longer than ${longestId} bytes`;
  return undefined;
}

const wordsFor: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', 'up', 'like', 'liked', 'positive']);
const wordsAgainst: ReadonlySet<string> = new Set([
  'false',
  'f',
  'no',
  'n',
  'down',
  'dislike',
  'disliked',
  'negative',
]);

/**
 * A vote in words on a scale of two grades: the upper one for, the lower one against; NaN for other words and
 * on other scales. A fixed convention, the same for every file.
 */
export function parseVote(text: string, scale: RatingScale): number {
  if (!isTwoGrades(scale)) return Number.NaN;
  const word = text.trim().toLowerCase();
  return wordsFor.has(word) ? scale.max : wordsAgainst.has(word) ? scale.min : Number.NaN;
}

function isVote(text: string): boolean {
  return !Number.isNaN(parseVote(text, { min: 0, max: 1, step: 1 }));
}

/** Reasons that whole files have. */
export const decimalComma = 'the rating has a decimal comma';
export const percentage = 'the rating has a % sign';
export const voteInWords = 'the rating is a vote in words';
export const localDate = 'the time is a date whose day and month nobody can tell apart';

/** Why a text is no rating, as closely as its form tells. */
export function ratingTextProblem(text: string): string {
  if (/^[+-]?\d+,\d+$/.test(text.trim())) return decimalComma;
  if (/^[+-]?[\d.,]+ ?%$/.test(text.trim())) return percentage;
  return isVote(text) ? voteInWords : 'the rating is not a number';
}

/** Why a text is no time. */
export function timeTextProblem(text: string | undefined): string {
  return /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/.test(text?.trim() ?? '')
    ? localDate
    : 'the time is not seconds or milliseconds since 1970 nor an ISO 8601 date';
}

/** Why a rating is refused, or undefined. */
export function ratingProblem(rating: number, scale: RatingScale): string | undefined {
  if (Number.isNaN(rating)) return 'the rating is not a number';
  if (!isOnScale(rating, scale)) return `the rating is not on the scale ${describeScale(scale)}`;
  return undefined;
}
