/**
 * A uniform number in [0, 1) that belongs to one cell of the matrix: a fixed function of (seed, row, column),
 * so that adding or removing an entry leaves every other entry's coin as it was. Public randomness for
 * thinning; not for noise. Two rounds of a 32-bit multiply–xorshift mix.
 */
export function cellCoin(seed: number, row: number, column: number): number {
  let state =
    Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^
    Math.imul(row + 1, 0xc2b2ae35) ^
    Math.imul(column + 1, 0x27d4eb2f);
  for (let round = 0; round < 2; round++) {
    state ^= state >>> 16;
    state = Math.imul(state, 0x7feb352d);
    state ^= state >>> 15;
    state = Math.imul(state, 0x846ca68b);
    state ^= state >>> 16;
  }
  return (state >>> 0) / 2 ** 32;
}
