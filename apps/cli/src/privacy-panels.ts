import type { SweepRow } from '@hushrec/evaluate';
import { roundedUp } from '@hushrec/privacy';

const titles: Readonly<Record<string, string>> = {
  none: 'Without privacy',
  user: 'Methods that protect whole people',
  'rating-presence': 'Methods that protect the presence of single ratings',
  'rating-value': 'Methods that protect the value of single ratings (who rated what is public)',
};

/** Rows that may be compared with one another: those whose ε is about the same thing. */
export interface PrivacyPanel {
  readonly unit: string;
  readonly title: string;
  /** What ε means here, and for single ratings what it comes to for a whole person. */
  readonly meaning: string;
  readonly rows: readonly SweepRow[];
}

/**
 * One panel per privacy unit, in the order in which the units appear. ε for one rating says nothing about a
 * person as such: by group privacy k ratings together are protected by kε, which is given for the mean k of
 * what was trained on.
 */
export function privacyPanels(
  rows: readonly SweepRow[],
  { people, ratings }: { readonly people: number; readonly ratings: number },
): PrivacyPanel[] {
  const each = Math.round(ratings / people);
  return [...new Set(rows.map(({ unit }) => unit))].map((unit) => {
    const own = rows.filter((row) => row.unit === unit);
    const epsilons = [...new Set(own.flatMap(({ epsilon }) => (epsilon === null ? [] : [epsilon])))];
    const person = epsilons.map((epsilon) => `ε = ${epsilon} is ${roundedUp(each * epsilon, 3)}`).join(', ');
    const meanings: Readonly<Record<string, string>> = {
      none: '',
      user: `ε bounds what anyone can learn about whether a person took part at all, δ = ${own[0].delta}.`,
    };
    const single =
      'ε is about one rating and not comparable with ε for whole people. By group privacy a person with k ratings has k·ε' +
      (person === '' ? '.' : `: for the mean of ${each} ratings trained on, ${person}.`);
    return { unit, title: titles[unit] ?? unit, meaning: meanings[unit] ?? single, rows: own };
  });
}
