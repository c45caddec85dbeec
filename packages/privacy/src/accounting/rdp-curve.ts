import { pureEpsilon, type SingleEvent } from './accountant.js';
import { gaussianMu } from './gaussian-mu.js';

/**
 * Rényi divergence bound r(α) of one release at any order α > 1; undefined for events without one.
 *
 * - Gaussian: αμ²/2 (Mironov 2017, Corollary 3).
 * - Laplace of ε = Δ/b, one coordinate or many (the scalar case dominates, see docs/privacy/accounting.md):
 *   ln(α/(2α−1)·e^((α−1)ε) + (α−1)/(2α−1)·e^(−αε))/(α−1) (Mironov 2017, Corollary 2). On a grid the pure bound is used.
 * - any pure mechanism: that of randomised response, the worst one: ln((sinh αε − sinh (α−1)ε)/sinh ε)/(α−1)
 *   (Bun & Steinke 2016, Proposition 3.3).
 * - Poisson-sampled Gaussian: ln E_{x~N(0,1)}[(1 − q + q·e^(μx − μ²/2))^α]/(α−1), which bounds both
 * directions (Mironov, Talwar & Zhang 2019, Theorem 5).
 */
export function renyiDivergence(event: SingleEvent, order: number): number | undefined {
  switch (event.kind) {
    case 'gaussian':
      return (order * gaussianMu(event) ** 2) / 2;
    case 'poisson-sampled-gaussian':
      return event.rate === 1
        ? (order * gaussianMu(event) ** 2) / 2
        : sampledGaussianDivergence(event.rate, gaussianMu(event), order);
    case 'laplace': {
      const epsilon = event.sensitivity / event.noise;
      return event.gridScale === undefined
        ? laplaceDivergence(epsilon, order)
        : pureDivergence(epsilon, order);
    }
    case 'non-private':
      return Infinity;
    default: {
      const epsilon = pureEpsilon(event);
      return epsilon === undefined ? undefined : pureDivergence(epsilon, order);
    }
  }
}

function laplaceDivergence(epsilon: number, order: number): number {
  const up = Math.log(order / (2 * order - 1)) + (order - 1) * epsilon;
  const down = Math.log((order - 1) / (2 * order - 1)) - order * epsilon;
  return (up + Math.log1p(Math.exp(down - up))) / (order - 1);
}

/** With p = e^ε/(1+e^ε): ln(p^α(1−p)^(1−α) + (1−p)^α p^(1−α))/(α−1), the same number without overflow. */
function pureDivergence(epsilon: number, order: number): number {
  if (epsilon === 0) return 0;
  const logP = -Math.log1p(Math.exp(-epsilon));
  const up = logP + (order - 1) * epsilon;
  const down = logP - epsilon - (order - 1) * epsilon;
  return Math.min(epsilon, Math.max(0, (up + Math.log1p(Math.exp(down - up))) / (order - 1)));
}

/**
 * ln E[(1−q+q·e^(μx−μ²/2))^α]/(α−1) by the trapezoidal rule in x. The integrand is analytic and decays like a
 * Gaussian on both sides, so a step of 1/16 leaves an error far below double precision; the sum runs over
 * everything within e^-60 of the largest possible term, and is kept as logarithms.
 */
export function sampledGaussianDivergence(rate: number, mu: number, order: number): number {
  const step = 1 / 16;
  const logRate = Math.log(rate);
  const logRest = Math.log1p(-rate);
  const exponent = (x: number): number => {
    const shifted = logRate + mu * x - (mu * mu) / 2;
    const ratio =
      shifted > logRest
        ? shifted + Math.log1p(Math.exp(logRest - shifted))
        : logRest + Math.log1p(Math.exp(shifted - logRest));
    return order * ratio - (x * x) / 2;
  };
  const end = order * mu + 12;
  let largest = -Infinity;
  for (let x = -12; x <= end; x += step) largest = Math.max(largest, exponent(x));
  let sum = 0;
  for (let x = -12; x <= end; x += step) sum += Math.exp(exponent(x) - largest);
  const logMoment = largest + Math.log(sum * step) - 0.9189385332046727;
  return Math.max(0, logMoment) / (order - 1);
}
