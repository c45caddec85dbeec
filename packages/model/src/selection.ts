import type { CertificateStatement } from './certificate.js';
import type { PublishedRun } from './published-model.js';

/**
 * Why a promise of a finite ε does not cover the part of the data that was trained on, if it does not. The
 * proof compares sums with and without one person, each term a function of one person's ratings: which of
 * them are used must depend on her alone. A protocol that draws for everybody from one stream deals
 * everybody's ratings anew when one person joins. A simulation protects nobody and may use any part.
 */
export function faultInSelection(
  trainedOn: PublishedRun['trainedOn'],
  { epsilon, simulation }: Pick<CertificateStatement, 'epsilon' | 'simulation'>,
): string | undefined {
  if (trainedOn === undefined || epsilon === null || simulation) return undefined;
  const protocol = trainedOn['protocol'];
  return protocol === undefined
    ? undefined
    : `the ratings it was trained on were drawn for all people together (protocol ${protocol}), so one person changes what is used of everybody, and ε does not hold.`;
}
