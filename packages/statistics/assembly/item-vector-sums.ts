/**
 * sums[item_k] += trunc(amount_k · scale · vector) for `count` items: rows of `width` float64 numbers, width
 * even. The same operations in the same order as in plain TypeScript, two lanes at a time, so the integers
 * are the same. O(count · width).
 */
export function addOuter(
  sums: usize, width: i32, items: usize, amounts: usize, count: i32, vector: usize, scale: f64,
): void {
  const bytes = <usize>width << 3;
  for (let k = 0; k < count; k++) {
    const amount = f64x2.splat(load<f64>(amounts + (<usize>k << 3)) * scale);
    const row = sums + <usize>load<u32>(items + (<usize>k << 2)) * bytes;
    for (let c: usize = 0; c < bytes; c += 16) {
      const whole = f64x2.trunc(f64x2.mul(amount, v128.load(vector + c)));
      v128.store(row + c, f64x2.add(v128.load(row + c), whole));
    }
  }
}
