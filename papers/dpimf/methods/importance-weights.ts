/** No weight ≥ 1 keeps the target: the record costs too much even when always kept. */
export class InfeasibleWeightError extends RangeError {
  override readonly name = 'InfeasibleWeightError';
  readonly kind = 'usage';
  constructor() {
    super(
      'A record costs more than the target even without sampling. Lower its loss: clip harder or add noise.',
    );
  }
}

/**
 * ε of a record that is kept with probability 1/w and then costs `loss` = φ(w): ln(1 + (e^φ − 1)/w)
 * (Ran et al. 2024, Theorem 2; the maximum over records is the ε of the sampled mechanism).
 */
export function sampledLoss(loss: number, weight: number): number {
  return Math.log1p(Math.expm1(loss) / weight);
}

/**
 * The largest weight w ≥ 1 whose sampled loss keeps the target ε′ when a kept record costs φ(w) = w·unitLoss:
 * the root of the convex h(w) = e^φ(w) − 1 − w(e^ε′ − 1), found by doubling and bisection, ending on the side
 * that keeps the target (Ran et al. 2024, Algorithm 3, corrected).
 *
 * Inverse-probability weights never lower the noise: (e^{aw} − 1)/w increases in w, so the sampled loss is at
 * least a. They only thin out records whose unit loss is below the target. `unitLoss` = 0 allows any weight:
 * Infinity.
 */
export function optimalWeight(unitLoss: number, target: number): number {
  if (!(unitLoss <= target)) throw new InfeasibleWeightError();
  if (unitLoss === 0) return Number.POSITIVE_INFINITY;
  const exceeds = (weight: number) => sampledLoss(weight * unitLoss, weight) > target;
  let keeps = 1;
  let breaks = 2;
  while (!exceeds(breaks)) {
    keeps = breaks;
    breaks *= 2;
  }
  for (let step = 0; step < 60 && breaks - keeps > 1e-12 * keeps; step++) {
    const middle = (keeps + breaks) / 2;
    if (exceeds(middle)) breaks = middle;
    else keeps = middle;
  }
  return keeps;
}
