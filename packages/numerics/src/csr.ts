/**
 * Sparse rows: row r holds columns `indices[offsets[r] … offsets[r+1])`, ascending, with their `values`.
 * Arrays live in shared memory where the host has it (see `sharedArray`), so that threads read them in place.
 */
export interface Csr {
  readonly rowCount: number;
  readonly columnCount: number;
  /** rowCount + 1 entries, offsets[0] = 0. */
  readonly offsets: Uint32Array;
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** Dense rows of `width` float32 numbers: row r is `data[r*width … (r+1)*width)`. */
export interface FactorMatrix {
  readonly rowCount: number;
  readonly width: number;
  readonly data: Float32Array;
}
