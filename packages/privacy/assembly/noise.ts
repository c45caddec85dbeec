// ChaCha20 three blocks at a time and draws from alias tables beside it. The same words and draws as
// src/random/chacha20.ts and src/samplers/discrete-gaussian.ts, which
// are the readable reference.

// Memory map, known to src/random/noise-kernel.ts.
const KEY: usize = 4096; // 8 words of key, 3 of nonce
const NONCE: usize = KEY + 28; // 3 words of nonce, after the place of the counter
const TOP: usize = 8192; // 8192 packed entries, for diagonals
const OFF_TOP: usize = 40960; // 8192 packed entries, for what is off them
const NARROW: usize = 73728; // 8192 packed entries
const WIDE: usize = 106496; // 32768 packed entries
const WORDS: usize = 237568; // 16368 words: whole blocks, three by three
const TIES: usize = 303104; // 4096 indices of undecided draws
const OUT: usize = 319488; // 16368 float64

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

// A packed entry is threshold << b | alias, so that unless the high bits of word and entry are equal (a tie,
// decided elsewhere) the smaller of the two has the chosen column in its low b bits: the word's own where it
// is below the threshold, else the alias.

/**
 * Adds to the number at `out` a draw of one level of the table `top`, at most one narrow and five wide ones,
 * which take the words from `word` on: v becomes (v·perStep + draw)·step. Returns whether a word ties. Levels
 * are not a loop, which V8 would not unroll.
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

@inline function storeBlock(at: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(at, a);
  v128.store(at, b, 16);
  v128.store(at, c, 32);
  v128.store(at, d, 48);
}

// The rows of a block turned by one, two and three words, for rounds on diagonals and back.
@inline function turn1(x: v128): v128 {
  return i32x4.shuffle(x, x, 1, 2, 3, 0);
}
@inline function turn2(x: v128): v128 {
  return i32x4.shuffle(x, x, 2, 3, 0, 1);
}
@inline function turn3(x: v128): v128 {
  return i32x4.shuffle(x, x, 3, 0, 1, 2);
}

/**
 * Adds draws to the `count` numbers at OUT, consecutive entries of packed upper triangles of `width`; the
 * first is `left` places before the diagonal entry of row `row`. Diagonals draw from TOP with their numbers
 * of levels, the rest from OFF_TOP. Number k has the words from `first + k·stride` on, counted from block
 * `counter`. Appends the numbers of draws that tie to TIES and returns how many there are: the caller decides
 * them.
 *
 * ChaCha20 is a chain of short vector operations and a draw a few loads and whole numbers, so draws whose
 * words are there already go between the rounds of the next blocks, where they cost little. A block is four
 * rows, and three blocks are as many as leave V8 a register to work in. Rounds on columns and on diagonals
 * are both written out: one loop of twenty that turns rows either way is slower.
 */
export function draw(
  counter: u32, count: i32, first: u32, stride: u32, width: i32, row: i32, left: i32,
  narrow: i32, wide: i32, offNarrow: i32, offWide: i32, perStep: f64, step: f64,
): i32 {
  const end = WORDS + (<usize>(first + count * stride) << 2), bytes = <usize>stride << 2;
  let word = WORDS + (<usize>first << 2), out = OUT, ties: usize = 0;
  const constants = i32x4(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), low = v128.load(KEY), high = v128.load(KEY, 16);
  for (let at = WORDS; at < end; at += 192) {
    const n0 = i32x4.replace_lane(v128.load(NONCE), 0, counter), n1 = i32x4.add(n0, i32x4(1, 0, 0, 0)), n2 = i32x4.add(n0, i32x4(2, 0, 0, 0));
    counter += 3;
    let a0 = constants, b0 = low, c0 = high, d0 = n0;
    let a1 = constants, b1 = low, c1 = high, d1 = n1;
    let a2 = constants, b2 = low, c2 = high, d2 = n2;
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
      a0 = i32x4.add(a0, b0); d0 = rotate16(v128.xor(d0, a0));
      a1 = i32x4.add(a1, b1); d1 = rotate16(v128.xor(d1, a1));
      a2 = i32x4.add(a2, b2); d2 = rotate16(v128.xor(d2, a2));
      c0 = i32x4.add(c0, d0); b0 = rotate12(v128.xor(b0, c0));
      c1 = i32x4.add(c1, d1); b1 = rotate12(v128.xor(b1, c1));
      c2 = i32x4.add(c2, d2); b2 = rotate12(v128.xor(b2, c2));
      a0 = i32x4.add(a0, b0); d0 = rotate8(v128.xor(d0, a0));
      a1 = i32x4.add(a1, b1); d1 = rotate8(v128.xor(d1, a1));
      a2 = i32x4.add(a2, b2); d2 = rotate8(v128.xor(d2, a2));
      c0 = i32x4.add(c0, d0); b0 = rotate7(v128.xor(b0, c0));
      c1 = i32x4.add(c1, d1); b1 = rotate7(v128.xor(b1, c1));
      c2 = i32x4.add(c2, d2); b2 = rotate7(v128.xor(b2, c2));
      b0 = turn1(b0); c0 = turn2(c0); d0 = turn3(d0);
      b1 = turn1(b1); c1 = turn2(c1); d1 = turn3(d1);
      b2 = turn1(b2); c2 = turn2(c2); d2 = turn3(d2);
      a0 = i32x4.add(a0, b0); d0 = rotate16(v128.xor(d0, a0));
      a1 = i32x4.add(a1, b1); d1 = rotate16(v128.xor(d1, a1));
      a2 = i32x4.add(a2, b2); d2 = rotate16(v128.xor(d2, a2));
      c0 = i32x4.add(c0, d0); b0 = rotate12(v128.xor(b0, c0));
      c1 = i32x4.add(c1, d1); b1 = rotate12(v128.xor(b1, c1));
      c2 = i32x4.add(c2, d2); b2 = rotate12(v128.xor(b2, c2));
      a0 = i32x4.add(a0, b0); d0 = rotate8(v128.xor(d0, a0));
      a1 = i32x4.add(a1, b1); d1 = rotate8(v128.xor(d1, a1));
      a2 = i32x4.add(a2, b2); d2 = rotate8(v128.xor(d2, a2));
      c0 = i32x4.add(c0, d0); b0 = rotate7(v128.xor(b0, c0));
      c1 = i32x4.add(c1, d1); b1 = rotate7(v128.xor(b1, c1));
      c2 = i32x4.add(c2, d2); b2 = rotate7(v128.xor(b2, c2));
      b0 = turn3(b0); c0 = turn2(c0); d0 = turn1(d0);
      b1 = turn3(b1); c1 = turn2(c1); d1 = turn1(d1);
      b2 = turn3(b2); c2 = turn2(c2); d2 = turn1(d2);
    }
    storeBlock(at, i32x4.add(a0, constants), i32x4.add(b0, low), i32x4.add(c0, high), i32x4.add(d0, n0));
    storeBlock(at + 64, i32x4.add(a1, constants), i32x4.add(b1, low), i32x4.add(c1, high), i32x4.add(d1, n1));
    storeBlock(at + 128, i32x4.add(a2, constants), i32x4.add(b2, low), i32x4.add(c2, high), i32x4.add(d2, n2));
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
