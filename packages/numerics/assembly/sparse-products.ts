import { multiplyAdd, sumOfLanes } from './lanes';

/** out_r = Σ_k value_k · table[column_k]. O(entries · width). */
export function sumBags(
  table: usize, width: i32, rowCount: i32, offsets: usize, indices: usize, values: usize, out: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = 0; r < rowCount; r++) {
    memory.fill(out, 0, bytes);
    const end = load<u32>(offsets + (<usize>r << 2), 4);
    for (let k = load<u32>(offsets + (<usize>r << 2)); k < end; k++) {
      const from = table + <usize>load<u32>(indices + (<usize>k << 2)) * bytes;
      const value = v128.load_splat<f32>(values + (<usize>k << 2));
      for (let c: usize = 0; c < bytes; c += 16) v128.store(out + c, multiplyAdd<f32>(v128.load(out + c), v128.load(from + c), value));
    }
    out += bytes;
  }
}

/** out_k = x_r · v_j for every entry k = (r, j). O(entries · width). */
export function predictPairs(
  rows: usize, items: usize, width: i32, rowCount: i32, offsets: usize, indices: usize, out: usize,
): void {
  const bytes = <usize>width << 2;
  for (let r = 0; r < rowCount; r++) {
    const end = load<u32>(offsets + (<usize>r << 2), 4);
    for (let k = load<u32>(offsets + (<usize>r << 2)); k < end; k++) {
      const item = items + <usize>load<u32>(indices + (<usize>k << 2)) * bytes;
      let sum = f32x4.splat(0);
      for (let c: usize = 0; c < bytes; c += 16) sum = multiplyAdd<f32>(sum, v128.load(rows + c), v128.load(item + c));
      store<f32>(out + (<usize>k << 2), sumOfLanes<f32>(sum));
    }
    rows += bytes;
  }
}
