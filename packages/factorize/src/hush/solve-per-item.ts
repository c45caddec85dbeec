import { type Engine, zeroFactors } from '@hushrec/numerics';

/** v_j = (Π₊(Â_j) + ridge)⁻¹ b̂_j from released svec(Â_j) and b̂_j. Post-processing. O(items · d³). */
export async function solvePerItem(
  engine: Engine,
  width: number,
  moments: Float64Array,
  vectors: Float64Array,
  ridge: number,
): Promise<Float64Array> {
  const count = vectors.length / width;
  const matrices = Float64Array.from(moments);
  for (let item = 0, at = 0; item < count; item++) {
    for (let a = 0; a < width; a++) {
      at++;
      for (let b = a + 1; b < width; b++, at++) matrices[at]! /= Math.SQRT2;
    }
  }
  const out = zeroFactors(count, width);
  await engine.solvePsd({
    width,
    count,
    matrices,
    vectors: Float64Array.from(vectors),
    ridge: new Float64Array(count).fill(ridge),
    out,
    begin: 0,
  });
  return Float64Array.from(out.data);
}
