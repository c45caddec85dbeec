// What a round of implicit feedback sums over people: `PlainChoiceSums` for a group of people at a time, the
// same operations in the order in which every number meets them, two lanes at a time, so the integers are the
// same. Vectors have an even number of coordinates here; where the model's is odd, the last one is 0.
import { product } from '../../numerics/assembly/small-product';
import { invert } from './small-inverse';

/** 2²⁰ steps up to a bound, 2⁻⁴⁰ and 2⁻⁵³. */
const GRID: f64 = 1048576;
const SMALL: f64 = 9.094947017729282e-13;
const ROUNDING: f64 = 1.1102230246251565e-16;

/** Coordinates of the model, and of vectors here. */
let width: i32 = 0;
let even: i32 = 0;
let evenBytes: usize = 0;
/** B and G. */
let vectorBound: f64 = 0;
let momentBound: f64 = 0;
let gauge: f64 = 1;
/** Items by rows, float64; the packed triangle, float64; h_j. */
let sums: usize = 0;
let moment: usize = 0;
let itemWeights: usize = 0;
/** Of the person at hand: ũ, u, and amounts of her items. */
let taste: usize = 0;
let plain: usize = 0;
let amounts: usize = 0;

export function prepare(
  coordinates: i32, boundOfVectors: f64, boundOfMoment: f64, gaugeOfTastes: f64,
  atSums: usize, atMoment: usize, atItemWeights: usize, atTaste: usize, atPlain: usize, atAmounts: usize,
): void {
  width = coordinates;
  even = coordinates + (coordinates & 1);
  evenBytes = <usize>even << 3;
  vectorBound = boundOfVectors;
  momentBound = boundOfMoment;
  gauge = gaugeOfTastes;
  sums = atSums;
  moment = atMoment;
  itemWeights = atItemWeights;
  taste = atTaste;
  plain = atPlain;
  amounts = atAmounts;
}

/** v_j, x_j and a_j of every item, float32 by rows of `width`; 0 where nothing is left out. */
let items: usize = 0;
let whitened: usize = 0;
let alone: usize = 0;
/** α₀VᵀV, even × even, and λ. */
let common: usize = 0;
let ridge: f64 = 0;
/** √g of the person's choices. */
let roots: usize = 0;
/**
 * Room: the person's rows, the same transposed or a number for each, her tastes, a matrix, what `invert`
 * needs.
 */
let rows: usize = 0;
let turned: usize = 0;
let tastes: usize = 0;
let matrix: usize = 0;
let room: usize = 0;

export function leaveOut(
  atItems: usize, atWhitened: usize, atAlone: usize, atCommon: usize, ownRidge: f64, atRoots: usize,
  atRows: usize, atTurned: usize, atTastes: usize, atMatrix: usize, atRoom: usize,
): void {
  items = atItems;
  whitened = atWhitened;
  alone = atAlone;
  common = atCommon;
  ridge = ownRidge;
  roots = atRoots;
  rows = atRows;
  turned = atTurned;
  tastes = atTastes;
  matrix = atMatrix;
  room = atRoom;
}

/** As in jointly-clipped.ts. */
@inline
function marginFor(terms: i32): f64 {
  return 1 - SMALL - <f64>terms * ROUNDING;
}

@inline
function numberAt(place: usize, index: i32): f64 {
  return load<f64>(place + (<usize>index << 3));
}

/** sums[item] += trunc(amount · vector). */
@inline
function addRow(item: u32, amount: f64, vector: usize): void {
  const both = f64x2.splat(amount);
  const row = sums + <usize>item * evenBytes;
  for (let c: usize = 0; c < evenBytes; c += 16) {
    const whole = f64x2.trunc(f64x2.mul(both, v128.load(vector + c)));
    v128.store(row + c, f64x2.add(v128.load(row + c), whole));
  }
}

/** Σ_c vector_c². */
@inline
function squareOf(vector: usize): f64 {
  let square: f64 = 0;
  for (let c = 0; c < width; c++) square += numberAt(vector, c) * numberAt(vector, c);
  return square;
}

/** `ClippedItemSums.add` of ũ; her factor. */
function addTaste(chosen: usize, count: i32): f64 {
  let ofAmounts: f64 = 0;
  for (let k = 0; k < count; k++) ofAmounts += numberAt(amounts, k) * numberAt(amounts, k);
  const norm = Math.sqrt(ofAmounts * squareOf(taste));
  if (!(norm < Infinity)) return 0;
  if (norm == 0) return 1;
  const factor = Math.min(1, vectorBound / norm);
  const scale = (factor * marginFor(count + width) * GRID) / vectorBound;
  for (let k = 0; k < count; k++)
    addRow(load<u32>(chosen + (<usize>k << 2)), numberAt(amounts, k) * scale, taste);
  return factor;
}

/**
 * Squares of rows [k, k + 4) of `tastes` to `turned`: four sums that do not wait for each other, each in the
 * order of its coordinates.
 */
@inline
function squaresOfFour(k: i32): void {
  const first = tastes + <usize>k * evenBytes;
  const second = first + evenBytes;
  const third = second + evenBytes;
  const fourth = third + evenBytes;
  let s0: f64 = 0, s1: f64 = 0, s2: f64 = 0, s3: f64 = 0;
  for (let c = 0; c < width; c++) {
    s0 += numberAt(first, c) * numberAt(first, c);
    s1 += numberAt(second, c) * numberAt(second, c);
    s2 += numberAt(third, c) * numberAt(third, c);
    s3 += numberAt(fourth, c) * numberAt(fourth, c);
  }
  const to = turned + (<usize>k << 3);
  store<f64>(to, s0);
  store<f64>(to, s1, 8);
  store<f64>(to, s2, 16);
  store<f64>(to, s3, 24);
}

/** `ClippedItemSums.addEach` of what `tastes` has for her items. */
function addEach(chosen: usize, count: i32): f64 {
  let row = 0;
  for (; row + 4 <= count; row += 4) squaresOfFour(row);
  for (; row < count; row++) store<f64>(turned + (<usize>row << 3), squareOf(tastes + <usize>row * evenBytes));
  let squares: f64 = 0;
  for (let k = 0; k < count; k++) squares += numberAt(amounts, k) * numberAt(amounts, k) * numberAt(turned, k);
  const norm = Math.sqrt(squares);
  if (!(norm < Infinity)) return 0;
  if (norm == 0) return 1;
  const factor = Math.min(1, vectorBound / norm);
  const scale = (factor * marginFor(count * (width + 2)) * GRID) / vectorBound;
  for (let k = 0; k < count; k++)
    addRow(load<u32>(chosen + (<usize>k << 2)), numberAt(amounts, k) * scale, tastes + <usize>k * evenBytes);
  return factor;
}

/** Her rows of float32 items as float64, beside each other, each times √g. */
function gather(from: usize, chosen: usize, count: i32): void {
  let to = rows;
  for (let k = 0; k < count; k++) {
    const row = from + ((<usize>load<u32>(chosen + (<usize>k << 2)) * <usize>width) << 2);
    const root = numberAt(roots, k);
    const both = f64x2.splat(root);
    let c = 0;
    for (; c + 2 <= width; c += 2)
      v128.store(
        to + (<usize>c << 3),
        f64x2.mul(both, f64x2.promote_low_f32x4(v128.load64_zero(row + (<usize>c << 2)))),
      );
    if (c < width) {
      store<f64>(to + (<usize>c << 3), root * <f64>load<f32>(row + (<usize>c << 2)));
      store<f64>(to + (<usize>c << 3), 0, 8);
    }
    to += evenBytes;
  }
}

/** Her tastes by the n × n system of her choices, as `LeftOutTastes`; false where it has no solution. */
function leaveOutByChoices(chosen: usize, count: i32): bool {
  const paired = count + (count & 1);
  const bytes = <usize>paired << 3;
  gather(whitened, chosen, count);
  if (paired > count) memory.fill(rows + <usize>count * evenBytes, 0, evenBytes);
  for (let k = 0; k < paired; k++)
    for (let c = 0; c < even; c++)
      store<f64>(turned + <usize>c * bytes + (<usize>k << 3), numberAt(rows + <usize>k * evenBytes, c));
  product(matrix, rows, turned, paired, even, paired, false, 0, true, false);
  for (let j = 0; j < paired; j++) {
    const at = matrix + <usize>j * bytes + (<usize>j << 3);
    store<f64>(at, load<f64>(at) + 1);
  }
  if (!invert(matrix, paired, room)) return false;
  for (let j = 0; j < count; j++) {
    let sum: f64 = 0;
    for (let k = 0; k < count; k++) sum += numberAt(matrix + <usize>j * bytes, k) * numberAt(roots, k);
    store<f64>(room + (<usize>j << 3), sum); // β
  }
  const scale = f64x2.splat(gauge);
  for (let j = 0; j < count; j++) {
    const row = matrix + <usize>j * bytes;
    const echo = f64x2.splat(numberAt(room, j) / numberAt(row, j));
    for (let k: usize = 0; k < bytes; k += 16)
      v128.store(
        row + k,
        f64x2.mul(scale, f64x2.sub(v128.load(room + k), f64x2.mul(echo, v128.load(row + k)))),
      );
    store<f64>(row + (<usize>j << 3), 0);
    if (paired > count) store<f64>(row + (<usize>count << 3), 0);
  }
  gather(alone, chosen, count);
  product(tastes, matrix, rows, count, paired, even, false, 0, false, false);
  return true;
}

/** The same by the d × d system. */
function leaveOutByDirections(chosen: usize, count: i32): bool {
  gather(items, chosen, count);
  product(matrix, rows, rows, even, count, even, true, 0, true, false);
  const all = <usize>even * evenBytes;
  for (let at: usize = 0; at < all; at += 16)
    v128.store(matrix + at, f64x2.add(v128.load(matrix + at), v128.load(common + at)));
  for (let a = 0; a < even; a++) {
    const at = matrix + <usize>a * evenBytes + (<usize>a << 3);
    store<f64>(at, load<f64>(at) + ridge);
  }
  if (!invert(matrix, even, room)) return false;
  product(tastes, rows, matrix, count, even, even, false, 0, false, false); // A⁻¹v_j
  let done = 0;
  for (; done + 4 <= count; done += 4) echoesOfFour(done);
  for (; done < count; done++) {
    const row = rows + <usize>done * evenBytes;
    const own = tastes + <usize>done * evenBytes;
    let leverage: f64 = 0;
    let fit: f64 = 0;
    for (let a = 0; a < width; a++) {
      leverage += numberAt(own, a) * numberAt(row, a);
      fit += numberAt(plain, a) * numberAt(row, a);
    }
    store<f64>(turned + (<usize>done << 3), (numberAt(roots, done) - fit) / (1 - leverage));
  }
  const scale = f64x2.splat(gauge);
  for (let k = 0; k < count; k++) {
    const own = tastes + <usize>k * evenBytes;
    const echo = f64x2.splat(numberAt(turned, k));
    for (let a: usize = 0; a < evenBytes; a += 16)
      v128.store(
        own + a,
        f64x2.mul(scale, f64x2.sub(v128.load(plain + a), f64x2.mul(echo, v128.load(own + a)))),
      );
  }
  return true;
}

/** (√g − u·w_j)/(1 − w_jᵀA⁻¹w_j), w = √g·v, of rows [k, k + 4) to `turned`, as in `squaresOfFour`. */
@inline
function echoesOfFour(k: i32): void {
  const row0 = rows + <usize>k * evenBytes;
  const row1 = row0 + evenBytes;
  const row2 = row1 + evenBytes;
  const row3 = row2 + evenBytes;
  const apart = tastes - rows;
  let l0: f64 = 0, l1: f64 = 0, l2: f64 = 0, l3: f64 = 0;
  let f0: f64 = 0, f1: f64 = 0, f2: f64 = 0, f3: f64 = 0;
  for (let a = 0; a < width; a++) {
    const taste = numberAt(plain, a);
    const v0 = numberAt(row0, a), v1 = numberAt(row1, a), v2 = numberAt(row2, a), v3 = numberAt(row3, a);
    l0 += numberAt(row0 + apart, a) * v0;
    l1 += numberAt(row1 + apart, a) * v1;
    l2 += numberAt(row2 + apart, a) * v2;
    l3 += numberAt(row3 + apart, a) * v3;
    f0 += taste * v0;
    f1 += taste * v1;
    f2 += taste * v2;
    f3 += taste * v3;
  }
  const to = turned + (<usize>k << 3);
  store<f64>(to, (numberAt(roots, k) - f0) / (1 - l0));
  store<f64>(to, (numberAt(roots, k + 1) - f1) / (1 - l1), 8);
  store<f64>(to, (numberAt(roots, k + 2) - f2) / (1 - l2), 16);
  store<f64>(to, (numberAt(roots, k + 3) - f3) / (1 - l3), 24);
}

/** `addClippedOuter`. */
function addMoment(weight: f64): void {
  const packed = (width * (width + 1)) / 2;
  const margin = marginFor(packed);
  const inside = weight * squareOf(taste) <= momentBound * (1 - 1 / GRID);
  let scale = (margin * GRID) / momentBound;
  if (!inside) {
    let squares: f64 = 0;
    for (let a = 0; a < width; a++) {
      const scaled = weight * numberAt(taste, a);
      const own = scaled * numberAt(taste, a);
      squares += own * own;
      for (let b = a + 1; b < width; b++) {
        const other = scaled * numberAt(taste, b);
        squares += 2 * other * other;
      }
    }
    const norm = Math.sqrt(squares);
    if (!(norm < Infinity) || norm == 0) return;
    scale = (Math.min(1, momentBound / norm) * margin * GRID) / momentBound;
  }
  const both = f64x2.splat(scale);
  let to = moment;
  for (let a = 0; a < width; a++) {
    const scaled = weight * numberAt(taste, a);
    const pair = f64x2.splat(scaled);
    let b = a;
    for (; b + 2 <= width; b += 2) {
      const whole = f64x2.trunc(f64x2.mul(f64x2.mul(pair, v128.load(taste + (<usize>b << 3))), both));
      v128.store(to, f64x2.add(v128.load(to), whole));
      to += 16;
    }
    if (b < width) {
      store<f64>(to, load<f64>(to) + Math.trunc(scaled * numberAt(taste, b) * scale));
      to += 8;
    }
  }
}

/**
 * Adds people whose choices are `indices[offsets[i] − offsets[0] …]`, with their `grades`, float32, and whose
 * own u are rows of `own`, float32. O(choices · d + people · d²), and what leaving out costs
 * (`LeftOutTastes`).
 */
export function addPeople(
  people: i32, offsets: usize, indices: usize, grades: usize, own: usize, leavesOut: bool,
): void {
  const first = load<u32>(offsets);
  store<f64>(taste + (<usize>width << 3), 0);
  store<f64>(plain + (<usize>width << 3), 0);
  for (let i = 0; i < people; i++) {
    const at = offsets + (<usize>i << 2);
    const begin = load<u32>(at);
    const count = <i32>(load<u32>(at, 4) - begin);
    if (count == 0) continue;
    const chosen = indices + (<usize>(begin - first) << 2);
    const graded = grades + (<usize>(begin - first) << 2);
    let square: f64 = 0;
    for (let k = 0; k < count; k++) {
      const grade = <f64>load<f32>(graded + (<usize>k << 2));
      const weight = numberAt(itemWeights, load<u32>(chosen + (<usize>k << 2))) * grade;
      store<f64>(amounts + (<usize>k << 3), weight);
      square += weight * weight;
    }
    if (square == 0) continue;
    const share = 1 / Math.sqrt(square);
    for (let k = 0; k < count; k++) {
      const at = amounts + (<usize>k << 3);
      store<f64>(at, share * load<f64>(at));
      if (leavesOut)
        store<f64>(roots + (<usize>k << 3), Math.sqrt(<f64>load<f32>(graded + (<usize>k << 2))));
    }
    for (let a = 0; a < width; a++) {
      const value = <f64>load<f32>(own + ((<usize>i * <usize>width + <usize>a) << 2));
      store<f64>(plain + (<usize>a << 3), value);
      store<f64>(taste + (<usize>a << 3), gauge * value);
    }
    let factor: f64 = 0;
    if (!leavesOut) factor = addTaste(chosen, count);
    else if (count < width ? leaveOutByChoices(chosen, count) : leaveOutByDirections(chosen, count))
      factor = addEach(chosen, count);
    addMoment(share * factor);
  }
}
