import { expectedVector, type OwnFeatures, ownFeatures } from '@hushrec/model';
import {
  choleskyInPlace,
  choleskySolve,
  type FactorMatrix,
  type Side,
  sharedFloat32,
  zeroFactors,
} from '@hushrec/numerics';
import { type PeopleShare, SumError } from '@hushrec/statistics';
import type { OwnQuestion } from './own-vectors.js';

/** Features that people may have, declared before anyone is asked. Public. */
export interface DeclaredFeatures {
  readonly names: readonly string[];
  /** How much each counts, above 0. */
  readonly weights: readonly number[];
}

/** What is expected of people's vectors by their own features: p_i = Wᵀx_i. Released numbers only. */
export interface Expectation extends DeclaredFeatures {
  /** W: (1 + names) × d; row 0 is everybody's. */
  readonly factors: FactorMatrix;
}

/** Everyone's x_i (`ownFeatures`); what she says about herself and was not declared does not count. */
export function featuresOf(
  { about, rows }: Pick<PeopleShare, 'about' | 'rows'>,
  { names, weights }: DeclaredFeatures,
): OwnFeatures[] {
  if (about === undefined)
    throw new SumError(
      'features of people',
      'what people say about themselves is not where their ratings are.',
    );
  const declared = new Map(names.map((name, at) => [name, at]));
  const numbers = about.names.map((name) => declared.get(name));
  const { offsets, indices } = about.byUser;
  return Array.from({ length: rows.rowCount }, (_, person) => {
    const own: number[] = [];
    for (let at = offsets[person]; at < offsets[person + 1]; at++) {
      const number = numbers[indices[at]];
      if (number !== undefined) own.push(number);
    }
    return ownFeatures(weights, own);
  });
}

/**
 * `solveOwn` around what is expected of people: u_i = argmin of the same with ‖u − p_i‖² for ‖u‖², so that
 * M u = b + ridge·ν·p_i. Someone who rated nothing has u_i = p_i. In float64, person by person, each from her
 * own data alone. O(ratings × d² + people × d³).
 */
export function solveAround(
  share: Pick<PeopleShare, 'about' | 'rows'>,
  question: OwnQuestion & { readonly expected: Expectation },
  out?: Side,
): Side {
  const { rows } = share;
  const { items, expected, offset, ridge, ridgeExponent, interceptRidge, unobservedWeight } = question;
  const d = items.width;
  const implicit = question.feedback === 'implicit';
  const hasIntercept = !implicit && interceptRidge !== undefined;
  const width = hasIntercept ? d + 1 : d;
  const factors = out?.factors ?? zeroFactors(rows.rowCount, d);
  const intercept = hasIntercept ? (out?.intercept ?? sharedFloat32(rows.rowCount)) : undefined;
  const matrix = new Float64Array(width * width);
  const vector = new Float64Array(width);
  featuresOf(share, expected).forEach((own, person) => {
    const prior = expectedVector(expected.factors.data, d, own);
    const [begin, end] = [rows.offsets[person], rows.offsets[person + 1]];
    vector.fill(0);
    if (begin === end) vector.set(prior);
    else {
      matrix.fill(0);
      if (question.gramian)
        for (let at = 0; at < matrix.length; at++) matrix[at] = unobservedWeight * question.gramian[at];
      for (let at = begin; at < end; at++) {
        const from = rows.indices[at] * d;
        const y = implicit ? 1 : rows.values[at] - offset;
        for (let a = 0; a < d; a++) {
          const value = items.data[from + a];
          vector[a] += y * value;
          for (let c = a; c < d; c++) matrix[a * width + c] += value * items.data[from + c];
          if (hasIntercept) matrix[a * width + d] += value;
        }
        if (hasIntercept) vector[d] += y;
      }
      const own = ridge * (end - begin) ** ridgeExponent;
      for (let a = 0; a < d; a++) {
        matrix[a * width + a] += own;
        vector[a] += own * prior[a];
      }
      if (hasIntercept) matrix[d * width + d] = end - begin + interceptRidge;
      if (choleskyInPlace(matrix, width) >= 0) vector.fill(Number.NaN);
      else choleskySolve(matrix, width, vector);
    }
    factors.data.set(vector.subarray(0, d), person * d);
    if (intercept) intercept[person] = vector[d];
  });
  return { factors, ...(intercept && { intercept }) };
}
