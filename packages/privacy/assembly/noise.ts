// ChaCha20 four blocks at a time, draws from alias tables beside it, and the fingerprint of what noise is added to. The same words,
// draws and fingerprints as src/random/chacha20.ts, src/samplers/discrete-gaussian.ts and src/random/fingerprint.ts, which
// are the readable reference.

// Memory map, known to src/random/noise-kernel.ts.
const KEY: usize = 4096; // 8 words of key, 3 of nonce
const STATE: usize = 4352; // 16 words of fingerprint
const TOP: usize = 8192; // 8192 packed entries, for diagonals
const OFF_TOP: usize = 40960; // 8192 packed entries, for what is off them
const NARROW: usize = 73728; // 8192 packed entries
const WIDE: usize = 106496; // 32768 packed entries
const WORDS: usize = 237568; // 16384 words
const TIES: usize = 303104; // 4096 indices of undecided draws
const OUT: usize = 319488; // 16384 float64

// `swizzle`, because V8 keeps its constant in memory where it builds that of `shuffle` anew each time.
@inline function rotate16(x: v128): v128 {
  return i8x16.swizzle(x, i8x16(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
}
@inline function rotate8(x: v128): v128 {
  return i8x16.swizzle(x, i8x16(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14));
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

// A packed entry is threshold << b | alias, so that unless the high bits of word and entry are equal (a tie, decided elsewhere) the
// smaller of the two has the chosen column in its low b bits: the word's own where it is below the threshold, else the alias.

/**
 * Adds to the number at `out` a draw of one level of the table `top`, at most one narrow and five wide ones, which take the words from
 * `word` on: v becomes (v·perStep + draw)·step. Returns whether a word ties. Levels are not a loop, which V8 would not unroll.
 */
@inline function drawOne(word: usize, out: usize, top: usize, narrow: i32, wide: i32, perStep: f64, step: f64): bool {
  let w = load<u32>(word), entry = load<u32>(top + ((w & 8191) << 2));
  let closest = (w ^ entry) >>> 13;
  // Column c stands for c − half the columns.
  let x = <i64>(min(w, entry) & 8191) - 4096;
  if (narrow) {
    word += 4;
    w = load<u32>(word); entry = load<u32>(NARROW + ((w & 8191) << 2));
    closest = min(closest, (w ^ entry) >>> 13);
    x = x * 32 + <i64>(min(w, entry) & 8191) - 4096;
  }
  if (wide > 0) {
    w = load<u32>(word, 4); entry = load<u32>(WIDE + ((w & 32767) << 2));
    closest = min(closest, (w ^ entry) >>> 15);
    x = x * 320 + <i64>(min(w, entry) & 32767) - 16384;
  }
  if (wide > 1) {
    w = load<u32>(word, 8); entry = load<u32>(WIDE + ((w & 32767) << 2));
    closest = min(closest, (w ^ entry) >>> 15);
    x = x * 320 + <i64>(min(w, entry) & 32767) - 16384;
  }
  if (wide > 2) {
    w = load<u32>(word, 12); entry = load<u32>(WIDE + ((w & 32767) << 2));
    closest = min(closest, (w ^ entry) >>> 15);
    x = x * 320 + <i64>(min(w, entry) & 32767) - 16384;
  }
  if (wide > 3) {
    w = load<u32>(word, 16); entry = load<u32>(WIDE + ((w & 32767) << 2));
    closest = min(closest, (w ^ entry) >>> 15);
    x = x * 320 + <i64>(min(w, entry) & 32767) - 16384;
  }
  if (wide > 4) {
    w = load<u32>(word, 20); entry = load<u32>(WIDE + ((w & 32767) << 2));
    closest = min(closest, (w ^ entry) >>> 15);
    x = x * 320 + <i64>(min(w, entry) & 32767) - 16384;
  }
  store<f64>(out, (load<f64>(out) * perStep + <f64>x) * step);
  return closest == 0;
}

@inline function keyWord(i: usize): v128 {
  return v128.load_splat<i32>(KEY + (i << 2));
}

/**
 * Adds draws to the `count` numbers at OUT, consecutive entries of packed upper triangles of `width`; the first is `left` places before
 * the diagonal entry of row `row`. Diagonals draw from TOP with their numbers of levels, the rest from OFF_TOP. Number k has the words
 * from `first + k·stride` on, counted from block `counter`. Appends the numbers of draws that tie to TIES and returns how many there
 * are: the caller decides them.
 *
 * ChaCha20 is a chain of short vector operations and a draw a few loads and whole numbers, so draws whose words are there already go
 * between the rounds of the next blocks, where they cost little.
 */
export function draw(
  counter: u32, count: i32, first: u32, stride: u32, width: i32, row: i32, left: i32,
  narrow: i32, wide: i32, offNarrow: i32, offWide: i32, perStep: f64, step: f64,
): i32 {
  const end = WORDS + (<usize>(first + count * stride) << 2), bytes = <usize>stride << 2;
  let word = WORDS + (<usize>first << 2), out = OUT, ties: usize = 0;
  const c0 = i32x4.splat(0x61707865), c1 = i32x4.splat(0x3320646e), c2 = i32x4.splat(0x79622d32), c3 = i32x4.splat(0x6b206574);
  for (let at = WORDS; at < end; at += 256) {
    const blocks = i32x4.add(i32x4.splat(counter), i32x4(0, 1, 2, 3));
    counter += 4;
    let x0 = c0, x1 = c1, x2 = c2, x3 = c3;
    let x4 = keyWord(0), x5 = keyWord(1), x6 = keyWord(2), x7 = keyWord(3);
    let x8 = keyWord(4), x9 = keyWord(5), x10 = keyWord(6), x11 = keyWord(7);
    let x12 = blocks, x13 = keyWord(8), x14 = keyWord(9), x15 = keyWord(10);
    const draws = word < at ? <i32>((at - word) / bytes) : 0;
    for (let round = 0; round < 10; round++) {
      if (round < draws) {
        const diagonal = left == 0;
        if (drawOne(word, out, diagonal ? TOP : OFF_TOP, diagonal ? narrow : offNarrow, diagonal ? wide : offWide, perStep, step)) {
          store<usize>(TIES + (ties << 2), (out - OUT) >> 3);
          ties++;
        }
        left = diagonal ? width - 1 - row : left - 1;
        if (diagonal) row = row + 1 == width ? 0 : row + 1;
        out += 8;
        word += bytes;
      }
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
    storeTransposed(at + 16, i32x4.add(x4, keyWord(0)), i32x4.add(x5, keyWord(1)), i32x4.add(x6, keyWord(2)), i32x4.add(x7, keyWord(3)));
    storeTransposed(at + 32, i32x4.add(x8, keyWord(4)), i32x4.add(x9, keyWord(5)), i32x4.add(x10, keyWord(6)), i32x4.add(x11, keyWord(7)));
    storeTransposed(at + 48, i32x4.add(x12, blocks), i32x4.add(x13, keyWord(8)), i32x4.add(x14, keyWord(9)), i32x4.add(x15, keyWord(10)));
  }
  while (word < end) {
    const diagonal = left == 0;
    if (drawOne(word, out, diagonal ? TOP : OFF_TOP, diagonal ? narrow : offNarrow, diagonal ? wide : offWide, perStep, step)) {
      store<usize>(TIES + (ties << 2), (out - OUT) >> 3);
      ties++;
    }
    left = diagonal ? width - 1 - row : left - 1;
    if (diagonal) row = row + 1 == width ? 0 : row + 1;
    out += 8;
    word += bytes;
  }
  return <i32>ties;
}

/** Whole numbers of at most `most` in absolute value: lanes of ones. */
@inline function fits(x: v128, most: v128): v128 {
  return v128.and(f64x2.eq(f64x2.trunc(x), x), f64x2.le(f64x2.abs(x), most));
}

/**
 * Takes `quads` times four float64 at OUT into the fingerprint at STATE, two independent halves of which take two each. Returns
 * whether all are whole numbers of at most `limit` in absolute value.
 */
export function examine(quads: i32, limit: f64): bool {
  const most = f64x2.splat(limit);
  const p = i32x4.splat(0x01000193), q = i32x4.splat(0x5bd1e995);
  let a = v128.load(STATE), b = v128.load(STATE, 16), c = v128.load(STATE, 32), d = v128.load(STATE, 48);
  let fit = i32x4.splat(-1);
  const end = OUT + (<usize>quads << 5);
  for (let at = OUT; at < end; at += 32) {
    const x = v128.load(at), y = v128.load(at, 16);
    fit = v128.and(fit, v128.and(fits(x, most), fits(y, most)));
    a = i32x4.mul(v128.xor(a, x), p);
    c = i32x4.mul(v128.xor(c, y), p);
    b = i32x4.add(i32x4.mul(v128.xor(b, i32x4.shuffle(x, x, 1, 2, 3, 0)), q), a);
    d = i32x4.add(i32x4.mul(v128.xor(d, i32x4.shuffle(y, y, 1, 2, 3, 0)), q), c);
    a = v128.xor(i32x4.shuffle(a, a, 1, 2, 3, 0), i32x4.shr_u(b, 15));
    c = v128.xor(i32x4.shuffle(c, c, 1, 2, 3, 0), i32x4.shr_u(d, 15));
  }
  v128.store(STATE, a);
  v128.store(STATE, b, 16);
  v128.store(STATE, c, 32);
  v128.store(STATE, d, 48);
  return i32x4.all_true(fit);
}
