/** The same dots every time: noise is drawn from a fixed seed. */
export function dotStream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Such dots within a box of an illustration. */
export function noiseDots(left: number, top: number, width: number, height: number, seed: number): string {
  const random = dotStream(seed);
  return Array.from({ length: Math.ceil((width * height) / 80) }, () => {
    const [x, y] = [left + 3 + random() * (width - 6), top + 2 + random() * (height - 4)];
    return `<circle class="noise" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${(0.8 + random()).toFixed(1)}"/>`;
  }).join('');
}
