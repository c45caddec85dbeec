/** Fills `order` with 0 … length−1 in uniformly random order (Fisher–Yates). O(length). */
export function shuffledOrder(order: Uint32Array, random: () => number): void {
  for (let k = 0; k < order.length; k++) {
    const other = Math.floor(random() * (k + 1));
    order[k] = order[other];
    order[other] = k;
  }
}
