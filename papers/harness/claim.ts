import type { Finding } from './experiment.js';

/** One thing that a paper says about how methods compare, and the findings that decide it. */
export interface Claim {
  readonly paper: string;
  /** Figure, table or section. */
  readonly where: string;
  /** The paper's own words, “…” where some are left out; absent where it shows numbers alone. */
  readonly quote?: string;
  /** What is judged here. */
  readonly says: string;
  /** Experiment whose findings decide. */
  readonly experiment: string;
  /** Which of them, by their words. */
  readonly by: RegExp;
  /** What their numbers are, where the findings do not end with it (“gain in rmse”). */
  readonly measures?: string;
  /** How they are judged, where no t test does it. */
  readonly rule?: string;
  /** Why it does not hold here, or cannot be judged, as far as it was looked into. */
  readonly cause?: Cause;
}

export interface Cause {
  /** `not comparable`: what is measured here is not what the paper measured, so that nothing is refuted. */
  readonly kind: 'cause found' | 'cause not found' | 'not comparable';
  readonly why: string;
}

/** In place of a page: what the paper leaves open and its readers will ask. */
export const askedHere = 'asked here';

/** What one paper says. */
export const claimsOf = (paper: string, claims: readonly Omit<Claim, 'paper'>[]): Claim[] =>
  claims.map((claim) => ({ paper, ...claim }));

/** The findings that decide a claim. */
export function findingsOf({ by }: Claim, findings: readonly Finding[]): Finding[] {
  return findings.filter(({ what, holds }) => holds !== null && by.test(what));
}

/** What the numbers of these findings are; undefined where they have no one name. */
export function measuresOf({ measures }: Claim, findings: readonly Finding[]): string | undefined {
  if (measures !== undefined) return measures;
  const named = new Set(findings.map(({ what }) => /\((gain in [^)]+)\)$/.exec(what)?.[1]));
  return named.size === 1 ? [...named][0] : undefined;
}

/** In words: whether all of them hold, none, or how many. */
export function judged(findings: readonly Finding[], cause?: Cause): string {
  if (cause?.kind === 'not comparable') return cause.kind;
  const count = (holds: Finding['holds']) => findings.filter((each) => each.holds === holds).length;
  const [yes, no, ties] = [count(true), count(false), count('tie')];
  if (findings.length === 0) return 'reported only';
  if (yes === findings.length) return 'holds';
  if (no === findings.length) return 'does not hold';
  if (ties === findings.length) return 'a tie';
  const parts = [
    [yes, 'holds in'],
    [no, 'does not in'],
    [ties, 'a tie in'],
  ] as const;
  return `${parts
    .filter(([times]) => times > 0)
    .map(([times, words]) => `${words} ${times}`)
    .join(', ')} of ${findings.length}`;
}
