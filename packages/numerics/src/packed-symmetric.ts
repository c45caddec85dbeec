/**
 * Packed upper triangles, by rows: (0,0) (0,1) … (0,d−1) (1,1) … (d−1,d−1). Entry (a, c), a ≤ c, is at
 * a·d − a(a−1)/2 + c − a.
 */
export function packedLength(width: number): number {
  return (width * (width + 1)) / 2;
}

/** Full symmetric d × d matrix of the packed triangle that starts at `from`. O(d²). */
export function unpackSymmetric(
  packed: Float64Array,
  width: number,
  from = 0,
  full: Float64Array = new Float64Array(width * width),
): Float64Array {
  let k = from;
  for (let a = 0; a < width; a++) {
    for (let c = a; c < width; c++) {
      const value = packed[k++];
      full[a * width + c] = value;
      full[c * width + a] = value;
    }
  }
  return full;
}
