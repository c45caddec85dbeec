import { type Csr, sharedFloat32 } from '@hushrec/numerics';

/** The declared scale of ratings that are read as grades: its least is 0, its greatest 1. */
export interface GradeRange {
  readonly min: number;
  readonly max: number;
}

/**
 * g = (r − min)/(max − min) of every entry, float32; 1 where there are no grades to read, and everything
 * counts alike. Rows are checked against the declared scale when they are read; what is outside of it all the
 * same counts as its end, and what is no number as nothing, so that 0 ≤ g ≤ 1 holds whatever the row says.
 * O(entries).
 */
export function gradesOf({ values, indices }: Csr, range: GradeRange | undefined): Float32Array {
  const grades = sharedFloat32(indices.length);
  if (range === undefined) return grades.fill(1);
  const { min, max } = range;
  for (let at = 0; at < grades.length; at++) {
    const grade = (values[at] - min) / (max - min);
    grades[at] = grade > 0 ? Math.min(1, grade) : 0;
  }
  return grades;
}
