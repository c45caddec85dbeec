/** What the WebAssembly module (assembly/index.ts) exports. All pointers are byte addresses. */
export interface WasmExports {
  solveRows(
    fixed: number,
    width: number,
    padFrom: number,
    rowCount: number,
    offsets: number,
    indices: number,
    targets: number,
    weights: number,
    base: number,
    diagonal: number,
    ridges: number,
    steps: number,
    out: number,
    ofOnes: number,
    status: number,
    scratch: number,
  ): void;
  cgScratchBytes(width: number, count: number): number;
  gramian(matrix: number, rows: number, width: number, out: number, scratch: number): void;
  itemStatistics(
    users: number,
    width: number,
    dimensions: number,
    itemCount: number,
    offsets: number,
    indices: number,
    roots: number,
    targets: number,
    targetScale: number,
    matrices: number,
    vectors: number,
    scratch: number,
  ): void;
  toGrid(data: number, count: number, scale: number, limit: number): number;
  solvePsd(
    count: number,
    dimensions: number,
    width: number,
    matrices: number,
    vectors: number,
    ridges: number,
    common: number,
    added: number,
    project: boolean,
    out: number,
    status: number,
    scratch: number,
  ): void;
  solvePsdScratchBytes(width: number): number;
  sumBags(
    table: number,
    width: number,
    rowCount: number,
    offsets: number,
    indices: number,
    values: number,
    out: number,
  ): void;
  predictPairs(
    rows: number,
    items: number,
    width: number,
    rowCount: number,
    offsets: number,
    indices: number,
    out: number,
  ): void;
  packItems(items: number, itemCount: number, width: number, panels: number): void;
  quantizeItems(
    panels: number,
    panelCount: number,
    width: number,
    bias: number,
    margin: number,
    quantized: number,
    limits: number,
  ): void;
  topK(
    rows: number,
    rowCount: number,
    width: number,
    panels: number,
    quantized: number,
    limits: number,
    itemCount: number,
    bias: number,
    k: number,
    listBytes: number,
    indices: number,
    scores: number,
    cursors: number,
    excluded: number,
    scratch: number,
  ): void;
}
