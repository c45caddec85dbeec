// Vectors of numbers modulo q = 2^64 − 2^32 + 1, each in [0, q). The same results as `plainKernel` in
// src/kernel.ts, which is the readable reference. All addresses are the caller's.

const Q: u64 = 0xffffffff00000001;
/** 2^64 mod q, and 2^96 mod q is −1. */
const EPSILON: u64 = 0xffffffff;

@inline function plus(a: u64, b: u64): u64 {
  const sum = a + b;
  // An overflow of 2^64 counts 2^32 − 1 more, which is q less.
  return sum < a ? sum + EPSILON : sum >= Q ? sum - Q : sum;
}
@inline function minus(a: u64, b: u64): u64 {
  return a >= b ? a - b : a - b - EPSILON;
}
@inline function times(a: u64, b: u64): u64 {
  const al = a & EPSILON, ah = a >> 32, bl = b & EPSILON, bh = b >> 32;
  const low = al * bl;
  const middle = al * bh + (low >> 32);
  const other = ah * bl + (middle & EPSILON);
  const high = ah * bh + (middle >> 32) + (other >> 32);
  return folded((other << 32) | (low & EPSILON), high);
}
/** low + 2^64·high modulo q. */
@inline function folded(low: u64, high: u64): u64 {
  const top = high >> 32, next = high & EPSILON;
  let rest = low - top;
  if (low < top) rest -= EPSILON;
  const product = (next << 32) - next;
  let sum = rest + product;
  if (sum < product) sum += EPSILON;
  return sum >= Q ? sum - Q : sum;
}

export function add(a: usize, b: usize, out: usize, count: i32): void {
  for (let at: usize = 0, end = <usize>count << 3; at < end; at += 8)
    store<u64>(out + at, plus(load<u64>(a + at), load<u64>(b + at)));
}

export function subtract(a: usize, b: usize, out: usize, count: i32): void {
  for (let at: usize = 0, end = <usize>count << 3; at < end; at += 8)
    store<u64>(out + at, minus(load<u64>(a + at), load<u64>(b + at)));
}

// Of the two bits of −1, 0 or 1 both are clear, one is set, both are set: a product is twice the numbers
// whose bits are set, bit by bit, less all numbers. Halves of 32 bits are added up in lanes of 64.

/** Bytes of `bits` that are gone through at a time: 16 kB of tables. */
const BLOCK = 32;

/** At `at` the sums for all four bits of two numbers. */
@inline function fillTable(at: usize, first: u64, second: u64): void {
  const a = i64x2(first & EPSILON, first >> 32), b = i64x2(second & EPSILON, second >> 32);
  let second0 = i64x2.splat(0);
  for (let high = 0; high < 4; high++) {
    if (high == 1 || high == 2) second0 = b;
    if (high == 3) second0 = i64x2.add(b, b);
    const one = i64x2.add(second0, a), row = at + (<usize>high << 6);
    v128.store(row, second0);
    v128.store(row, one, 16);
    v128.store(row, one, 32);
    v128.store(row, i64x2.add(one, a), 48);
  }
}

/** `vector` has zeros up to a whole byte; `tables` 16 kB, `sums` 16 bytes a product. */
export function signedProducts(
  vector: usize, count: i32, bits: usize, products: i32, out: usize, sums: usize, tables: usize,
): void {
  const bytes = (count + 3) >> 2;
  memory.fill(sums, 0, <usize>products << 4);
  let all = i64x2.splat(0);
  for (let from = 0; from < bytes; from += BLOCK) {
    const block = min(BLOCK, bytes - from);
    for (let k = 0; k < block; k++) {
      const at = vector + (<usize>(from + k) << 5), table = tables + (<usize>k << 9);
      fillTable(table, load<u64>(at), load<u64>(at, 8));
      fillTable(table + 256, load<u64>(at, 16), load<u64>(at, 24));
      // Entry 15 is twice both.
      all = i64x2.add(all, i64x2.add(v128.load(table, 240), v128.load(table, 496)));
    }
    for (let product = 0; product < products; product++) {
      const place = sums + (<usize>product << 4);
      let sum = v128.load(place), other = i64x2.splat(0);
      let at = bits + <usize>product * bytes + from, table = tables;
      for (const end = at + block; at < end; at++) {
        const byte = <usize>load<u8>(at);
        sum = i64x2.add(sum, v128.load(table + ((byte & 15) << 4)));
        other = i64x2.add(other, v128.load(table + (byte & 240), 256));
        table += 512;
      }
      v128.store(place, i64x2.add(sum, other));
    }
  }
  const total = halved(all);
  for (let product = 0; product < products; product++)
    store<u64>(out + (<usize>product << 3), minus(whole(v128.load(sums + (<usize>product << 4))), total));
}
/** Sums of low and of high halves as one number. */
@inline function whole(sums: v128): u64 {
  const low = <u64>i64x2.extract_lane(sums, 0), high = <u64>i64x2.extract_lane(sums, 1);
  return plus(folded(low, 0), folded(high << 32, high >> 32));
}
@inline function halved(sums: v128): u64 {
  return whole(i64x2.shr_u(sums, 1));
}

/** Adds products; `step` is 8, or 0 where all are with the first number of `a`. */
function addProducts(a: usize, step: usize, b: usize, out: usize, bytes: usize): void {
  for (const end = b + bytes; b < end; a += step, b += 8, out += 8)
    store<u64>(out, plus(load<u64>(out), times(load<u64>(a), load<u64>(b))));
}

/** `out` gets Σ_k weights[k]·rows[k]. */
export function weightedSum(rows: usize, count: i32, weights: usize, width: i32, out: usize): void {
  const length = <usize>width << 3;
  memory.fill(out, 0, length);
  for (let row = 0; row < count; row++, rows += length) addProducts(weights + (<usize>row << 3), 0, rows, out, length);
}

/** Where little depends on speed. */
function product(a: u64, b: u64): u64 {
  return times(a, b);
}
function raised(base: u64, exponent: u64): u64 {
  let result: u64 = 1;
  for (; exponent != 0; exponent >>= 1, base = product(base, base))
    if (exponent & 1) result = product(result, base);
  return result;
}
/** Root of unity of order 2^log. */
function rootOf(log: i32): u64 {
  return raised(raised(7, EPSILON), <u64>1 << (32 - log));
}

/** Powers 0 … count − 1 of x. */
function powers(out: usize, x: u64, count: i32): void {
  let power: u64 = 1;
  for (let at = 0; at < count; at++, out += 8, power = product(power, x)) store<u64>(out, power);
}

/**
 * Values of what has these coefficients at the powers of a root (its first powers in `roots`), bits reversed.
 */
function transform(values: usize, log: i32, roots: usize): void {
  const count = <usize>1 << log;
  for (let half = count >> 1, stride: usize = 1; half > 0; half >>= 1, stride <<= 1)
    for (let from: usize = 0; from < count; from += half << 1)
      for (let k: usize = 0; k < half; k++) {
        const at = values + ((from + k) << 3), other = at + (half << 3);
        const a = load<u64>(at), b = load<u64>(other);
        store<u64>(at, plus(a, b));
        store<u64>(other, times(minus(a, b), load<u64>(roots + ((k * stride) << 3))));
      }
}
/** The same from values in reversed order to values in order. */
function transformReversed(values: usize, log: i32, roots: usize): void {
  const count = <usize>1 << log;
  for (let half: usize = 1, stride = count >> 1; half < count; half <<= 1, stride >>= 1)
    for (let from: usize = 0; from < count; from += half << 1)
      for (let k: usize = 0; k < half; k++) {
        const at = values + ((from + k) << 3), other = at + (half << 3);
        const a = load<u64>(at), b = times(load<u64>(other), load<u64>(roots + ((k * stride) << 3)));
        store<u64>(at, plus(a, b));
        store<u64>(other, minus(a, b));
      }
}
/** Numbers in order of their reversed bits. */
function reorder(values: usize, log: i32): void {
  const count = 1 << log;
  for (let at = 0; at < count; at++) {
    let other = 0;
    for (let bit = 0; bit < log; bit++) other |= ((at >> bit) & 1) << (log - 1 - bit);
    if (other <= at) continue;
    const a = values + (<usize>at << 3), b = values + (<usize>other << 3);
    const kept = load<u64>(a);
    store<u64>(a, load<u64>(b));
    store<u64>(b, kept);
  }
}

/** Values at the powers of the root of order 2^log, in order, in place. `roots`: 2^log numbers. */
export function valuesAtRoots(values: usize, log: i32, roots: usize): void {
  powers(roots, rootOf(log), 1 << log);
  transform(values, log, roots);
  reorder(values, log);
}

/**
 * Coefficients of the sum of products of columns, at `out`: 2^(log + 1) numbers. `work`: 9·2^log numbers.
 * The products are taken at the powers of a root of twice the order: at the even ones the values are given,
 * at the odd ones they are those of the polynomial with shifted coefficients.
 */
export function sumOfProducts(
  rows: usize, count: i32, width: i32, log: i32, paired: i32, out: usize, work: usize,
): void {
  const points = 1 << log, bytes = <usize>points << 3;
  const roots = work, back = roots + bytes, shifts = back + bytes, left = shifts + bytes, right = left + bytes;
  const even = right + bytes, odd = even + bytes, wide = odd + bytes;
  const root = rootOf(log + 1), square = product(root, root);
  powers(roots, square, points);
  powers(back, raised(square, Q - 2), points);
  // With the 1/points of going back.
  powers(shifts, root, points);
  store<u64>(wide, raised(points, Q - 2));
  scale(shifts, wide, 0, bytes);
  reorder(shifts, log);
  memory.fill(even, 0, bytes << 1);
  const step = paired ? 2 : 1;
  for (let column = 0; column < width; column += step) {
    const a = rows + (<usize>column << 3);
    gather(a, count, width, left, bytes);
    if (paired) gather(a + 8, count, width, right, bytes);
    const second = paired ? right : left;
    addProducts(left, 8, second, even, bytes);
    shift(left, log, roots, back, shifts);
    if (paired) shift(right, log, roots, back, shifts);
    addProducts(left, 8, second, odd, bytes);
  }
  for (let at: usize = 0; at < bytes; at += 8) {
    store<u64>(out + (at << 1), load<u64>(even + at));
    store<u64>(out + (at << 1), load<u64>(odd + at), 8);
  }
  powers(wide, raised(root, Q - 2), points);
  transform(out, log + 1, wide);
  reorder(out, log + 1);
  store<u64>(wide, raised(2 * points, Q - 2));
  scale(out, wide, 0, bytes << 1);
}
/** Multiplies; `step` is 8, or 0 where all are multiplied by the first factor. */
function scale(values: usize, factors: usize, step: usize, bytes: usize): void {
  for (const end = values + bytes; values < end; values += 8, factors += step)
    store<u64>(values, times(load<u64>(values), load<u64>(factors)));
}
/** A column, with zeros below. */
function gather(from: usize, count: i32, width: i32, to: usize, bytes: usize): void {
  for (let row = 0; row < count; row++, from += <usize>width << 3) store<u64>(to + (<usize>row << 3), load<u64>(from));
  memory.fill(to + (<usize>count << 3), 0, bytes - (<usize>count << 3));
}
function shift(values: usize, log: i32, roots: usize, back: usize, shifts: usize): void {
  transform(values, log, back);
  scale(values, shifts, 8, <usize>8 << log);
  transformReversed(values, log, roots);
}
