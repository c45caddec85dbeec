/**
 * A column of a dataset file. Index columns are written as signed 32-bit, which every Parquet reader knows.
 */
export type TableColumn =
  | { readonly name: string; readonly type: 'index'; readonly data: Uint32Array }
  | { readonly name: string; readonly type: 'float32'; readonly data: Float32Array }
  | { readonly name: string; readonly type: 'float64'; readonly data: Float64Array }
  | { readonly name: string; readonly type: 'text'; readonly data: readonly string[] };
