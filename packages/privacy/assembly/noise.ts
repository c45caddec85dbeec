// ChaCha20 four blocks at a time, and draws from two alias tables. The same words and the same draws as
// src/random/chacha20.ts and src/samplers/discrete-gaussian.ts, which are the readable reference.

// Memory map, known to src/random/noise-kernel.ts.
const KEY: usize = 4096; // 8 words of key, 3 of nonce
const TOP: usize = 8192; // 8192 packed entries
const FINE: usize = 40960; // 8192 packed entries
const WORDS: usize = 73728; // 16384 words
const TIES: usize = 139264; // indices of undecided draws
const OUT: usize = 155648; // 16384 float64

@inline function rotate16(x: v128): v128 {
  return i8x16.shuffle(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}
@inline function rotate8(x: v128): v128 {
  return i8x16.shuffle(x, x, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
}
@inline function rotate12(x: v128): v128 {
  return v128.or(i32x4.shl(x, 12), i32x4.shr_u(x, 20));
}
@inline function rotate7(x: v128): v128 {
  return v128.or(i32x4.shl(x, 7), i32x4.shr_u(x, 25));
}

/** Four rows of four lanes (word i of blocks 0…3) to four blocks' worth of four consecutive words. */
@inline function storeTransposed(at: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab0 = i32x4.shuffle(a, b, 0, 4, 1, 5);
  const ab1 = i32x4.shuffle(a, b, 2, 6, 3, 7);
  const cd0 = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const cd1 = i32x4.shuffle(c, d, 2, 6, 3, 7);
  v128.store(at, i64x2.shuffle(ab0, cd0, 0, 2));
  v128.store(at + 64, i64x2.shuffle(ab0, cd0, 1, 3));
  v128.store(at + 128, i64x2.shuffle(ab1, cd1, 0, 2));
  v128.store(at + 192, i64x2.shuffle(ab1, cd1, 1, 3));
}

/** Blocks counter … counter + 4·groups − 1 to WORDS + 4·offset. */
export function fill(counter: u32, groups: u32, offset: u32): void {
  const c0 = i32x4.splat(0x61707865);
  const c1 = i32x4.splat(0x3320646e);
  const c2 = i32x4.splat(0x79622d32);
  const c3 = i32x4.splat(0x6b206574);
  const k0 = i32x4.splat(load<i32>(KEY));
  const k1 = i32x4.splat(load<i32>(KEY + 4));
  const k2 = i32x4.splat(load<i32>(KEY + 8));
  const k3 = i32x4.splat(load<i32>(KEY + 12));
  const k4 = i32x4.splat(load<i32>(KEY + 16));
  const k5 = i32x4.splat(load<i32>(KEY + 20));
  const k6 = i32x4.splat(load<i32>(KEY + 24));
  const k7 = i32x4.splat(load<i32>(KEY + 28));
  const n0 = i32x4.splat(load<i32>(KEY + 32));
  const n1 = i32x4.splat(load<i32>(KEY + 36));
  const n2 = i32x4.splat(load<i32>(KEY + 40));
  let at: usize = WORDS + ((<usize>offset) << 2);
  for (let group: u32 = 0; group < groups; group++) {
    const blocks = i32x4.add(i32x4.splat(counter + 4 * group), i32x4(0, 1, 2, 3));
    let x0 = c0, x1 = c1, x2 = c2, x3 = c3;
    let x4 = k0, x5 = k1, x6 = k2, x7 = k3;
    let x8 = k4, x9 = k5, x10 = k6, x11 = k7;
    let x12 = blocks, x13 = n0, x14 = n1, x15 = n2;
    for (let round = 0; round < 10; round++) {
      x0 = i32x4.add(x0, x4); x12 = rotate16(v128.xor(x12, x0));
      x1 = i32x4.add(x1, x5); x13 = rotate16(v128.xor(x13, x1));
      x2 = i32x4.add(x2, x6); x14 = rotate16(v128.xor(x14, x2));
      x3 = i32x4.add(x3, x7); x15 = rotate16(v128.xor(x15, x3));
      x8 = i32x4.add(x8, x12); x4 = rotate12(v128.xor(x4, x8));
      x9 = i32x4.add(x9, x13); x5 = rotate12(v128.xor(x5, x9));
      x10 = i32x4.add(x10, x14); x6 = rotate12(v128.xor(x6, x10));
      x11 = i32x4.add(x11, x15); x7 = rotate12(v128.xor(x7, x11));
      x0 = i32x4.add(x0, x4); x12 = rotate8(v128.xor(x12, x0));
      x1 = i32x4.add(x1, x5); x13 = rotate8(v128.xor(x13, x1));
      x2 = i32x4.add(x2, x6); x14 = rotate8(v128.xor(x14, x2));
      x3 = i32x4.add(x3, x7); x15 = rotate8(v128.xor(x15, x3));
      x8 = i32x4.add(x8, x12); x4 = rotate7(v128.xor(x4, x8));
      x9 = i32x4.add(x9, x13); x5 = rotate7(v128.xor(x5, x9));
      x10 = i32x4.add(x10, x14); x6 = rotate7(v128.xor(x6, x10));
      x11 = i32x4.add(x11, x15); x7 = rotate7(v128.xor(x7, x11));
      x0 = i32x4.add(x0, x5); x15 = rotate16(v128.xor(x15, x0));
      x1 = i32x4.add(x1, x6); x12 = rotate16(v128.xor(x12, x1));
      x2 = i32x4.add(x2, x7); x13 = rotate16(v128.xor(x13, x2));
      x3 = i32x4.add(x3, x4); x14 = rotate16(v128.xor(x14, x3));
      x10 = i32x4.add(x10, x15); x5 = rotate12(v128.xor(x5, x10));
      x11 = i32x4.add(x11, x12); x6 = rotate12(v128.xor(x6, x11));
      x8 = i32x4.add(x8, x13); x7 = rotate12(v128.xor(x7, x8));
      x9 = i32x4.add(x9, x14); x4 = rotate12(v128.xor(x4, x9));
      x0 = i32x4.add(x0, x5); x15 = rotate8(v128.xor(x15, x0));
      x1 = i32x4.add(x1, x6); x12 = rotate8(v128.xor(x12, x1));
      x2 = i32x4.add(x2, x7); x13 = rotate8(v128.xor(x13, x2));
      x3 = i32x4.add(x3, x4); x14 = rotate8(v128.xor(x14, x3));
      x10 = i32x4.add(x10, x15); x5 = rotate7(v128.xor(x5, x10));
      x11 = i32x4.add(x11, x12); x6 = rotate7(v128.xor(x6, x11));
      x8 = i32x4.add(x8, x13); x7 = rotate7(v128.xor(x7, x8));
      x9 = i32x4.add(x9, x14); x4 = rotate7(v128.xor(x4, x9));
    }
    storeTransposed(at, i32x4.add(x0, c0), i32x4.add(x1, c1), i32x4.add(x2, c2), i32x4.add(x3, c3));
    storeTransposed(at + 16, i32x4.add(x4, k0), i32x4.add(x5, k1), i32x4.add(x6, k2), i32x4.add(x7, k3));
    storeTransposed(at + 32, i32x4.add(x8, k4), i32x4.add(x9, k5), i32x4.add(x10, k6), i32x4.add(x11, k7));
    storeTransposed(at + 48, i32x4.add(x12, blocks), i32x4.add(x13, n0), i32x4.add(x14, n1), i32x4.add(x15, n2));
    at += 256;
  }
}

/**
 * `draws` values from the words, one of the top table and `levels` of the fine one each, to OUT. Returns how many draws hit a
 * tie; their indices are at TIES, and the caller decides them. Selects, not branches, choose between column and alias.
 */
export function draw(levels: i32, draws: i32): i32 {
  let word: usize = WORDS;
  let ties = 0;
  for (let i = 0; i < draws; i++) {
    let w = load<u32>(word);
    word += 4;
    let entry = load<u32>(TOP + ((w & 8191) << 2));
    let bits = w >>> 13;
    let threshold = entry >>> 13;
    let tied = <i32>(bits == threshold);
    let x = <i64>(<i32>select<u32>(w & 8191, entry & 8191, bits < threshold) - 4096);
    for (let level = 0; level < levels; level++) {
      w = load<u32>(word);
      word += 4;
      entry = load<u32>(FINE + ((w & 8191) << 2));
      bits = w >>> 13;
      threshold = entry >>> 13;
      tied |= <i32>(bits == threshold);
      x = (x << 5) + <i64>(<i32>select<u32>(w & 8191, entry & 8191, bits < threshold) - 4096);
    }
    store<f64>(OUT + ((<usize>i) << 3), <f64>x);
    if (tied) {
      store<i32>(TIES + ((<usize>ties) << 2), i);
      ties++;
    }
  }
  return ties;
}
