/**
 * Nodes and weights of n-point Gauss–Legendre quadrature on [0, 1], by Newton's method on the Legendre
 * polynomial.
 */
export function gaussLegendre(n: number): { readonly nodes: Float64Array; readonly weights: Float64Array } {
  const nodes = new Float64Array(n);
  const weights = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5));
    let derivative = 1;
    for (let step = 0; step < 50; step++) {
      let previous = 1;
      let value = x;
      for (let k = 2; k <= n; k++) {
        const next = ((2 * k - 1) * x * value - (k - 1) * previous) / k;
        previous = value;
        value = next;
      }
      derivative = (n * (x * value - previous)) / (x * x - 1);
      const correction = value / derivative;
      x -= correction;
      if (Math.abs(correction) < 1e-16) break;
    }
    nodes[i] = (1 - x) / 2;
    weights[i] = 1 / ((1 - x * x) * derivative * derivative);
  }
  return { nodes, weights };
}
