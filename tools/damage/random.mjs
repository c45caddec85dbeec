/**
 * A small generator of whole numbers (mulberry32): a case is a function of its seed and number, so it can be
 * had again.
 */
export function randomOf(seed, number) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
  return {
    below: (bound) => next() % bound,
    pick: (list) => list[next() % list.length],
    chance: (probability) => next() / 2 ** 32 < probability,
  };
}
