import { choleskyInPlace, choleskySolve, type FactorMatrix } from '@hushrec/numerics';
import { eigenCoordinates, type NoisySums } from './eigen-coordinates.js';
import { momentsOf } from './shrinkage.js';

/**
 * By how many standard errors the clearest direction of a round of choices stands out of its noise: the
 * largest of d numbers that are about N(0, 1) where nobody's taste says anything. What popularity and echoes
 * would say anyway is taken out first: a taste points to v_j because j was chosen, so with tastes that mean
 * nothing b_j = ρ_j (m + A v_j) with one m and one A for all items, and both are found by weighted least
 * squares. What is left is measured as `shrinkChoices` measures it, in the eigenbasis of the moment and with
 * the prior N(0, τ²/ρ_j). Post-processing. O(items · d² + d³).
 *
 * @param shares ρ_j > 0 of every item
 * @param items v_j with which the tastes of this round were found
 */
export function clearestDirection(sums: NoisySums, shares: Float64Array, items: FactorMatrix): number {
  const vectors = { ...sums.vectors, values: beyondEchoes(sums, shares, items) };
  const { eigenvalues, coordinate } = eigenCoordinates({ ...sums, vectors }, shares);
  let clearest = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < eigenvalues.length; k++) {
    const along = coordinate(k);
    for (let item = 0; item < shares.length; item++) along.strengths[item] /= Math.sqrt(shares[item]);
    const { variance, error } = momentsOf(along);
    clearest = Math.max(clearest, error > 0 ? variance / error : 0);
  }
  return clearest;
}

/** b̂_j − ρ_j (m + A v_j), by rows, in new memory. */
function beyondEchoes({ vectors }: NoisySums, shares: Float64Array, items: FactorMatrix): Float64Array {
  const { width, variances } = vectors;
  const terms = width + 1;
  const system = new Float64Array(terms * terms);
  const sides = Array.from({ length: width }, () => new Float64Array(terms));
  const row = new Float64Array(terms);
  const fill = (item: number) => {
    row[0] = shares[item];
    for (let a = 0; a < width; a++) row[a + 1] = shares[item] * items.data[item * width + a];
  };
  for (let item = 0; item < shares.length; item++) {
    fill(item);
    for (let a = 0; a < terms; a++) {
      const weighted = row[a] / variances[item * width];
      for (let b = a; b < terms; b++) system[a * terms + b] += weighted * row[b];
      for (let k = 0; k < width; k++) sides[k][a] += weighted * vectors.values[item * width + k];
    }
  }
  const values = vectors.values.slice();
  // A direction in which all items are alike, or 0, says nothing that popularity does not.
  const least = 1e-9 * system[0];
  for (let a = 0; a < terms; a++) system[a * terms + a] += least;
  if (choleskyInPlace(system, terms) >= 0) return values;
  for (const side of sides) choleskySolve(system, terms, side);
  for (let item = 0; item < shares.length; item++) {
    fill(item);
    for (let k = 0; k < width; k++) {
      let explained = 0;
      for (let a = 0; a < terms; a++) explained += row[a] * sides[k][a];
      values[item * width + k] -= explained;
    }
  }
  return values;
}
