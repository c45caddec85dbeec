/**
 * The order of ids in a data set: by number when every id is a plain whole number, else by Unicode code
 * points. It depends on the set of ids alone, so the position of an item in a published model says nothing
 * about who rated it when.
 */
export function sortIds(ids: readonly string[]): {
  readonly sorted: string[];
  /** newIndex[old position] = position in `sorted`. */
  readonly newIndex: Uint32Array;
} {
  const order = Uint32Array.from(ids, (_, position) => position);
  if (ids.every(isWholeNumber)) {
    const numbers = Float64Array.from(ids, Number);
    order.sort((a, b) => numbers[a] - numbers[b]);
  } else {
    order.sort((a, b) => compareCodePoints(ids[a], ids[b]));
  }
  const newIndex = new Uint32Array(ids.length);
  order.forEach((old, position) => {
    newIndex[old] = position;
  });
  return { sorted: Array.from(order, (old) => ids[old]), newIndex };
}

/**
 * Order of two ids, whatever others there are: whole numbers first, by number, then the rest by Unicode code
 * points.
 */
export function compareIds(a: string, b: string): number {
  const [isNumberA, isNumberB] = [isWholeNumber(a), isWholeNumber(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  return isNumberA === isNumberB ? compareCodePoints(a, b) : isNumberA ? -1 : 1;
}

/** Digits without sign or leading zero, small enough to be exact as a double. */
function isWholeNumber(id: string): boolean {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(id);
}

/** UTF-16 order differs from code-point order only between surrogates and the characters U+E000 … U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let k = 0; k < length; k++) {
    const x = a.charCodeAt(k);
    const y = b.charCodeAt(k);
    if (x !== y) {
      const bothHigh = x >= 0xd800 && y >= 0xd800;
      return bothHigh ? shiftSurrogates(x) - shiftSurrogates(y) : x - y;
    }
  }
  return a.length - b.length;
}

function shiftSurrogates(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
