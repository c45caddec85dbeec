import { pureEpsilon, type SingleEvent } from './accountant.js';
import { gaussianMu } from './gaussian-mu.js';

/**
 * Which of two neighbours the output comes from. Mechanisms without sampling have one law of losses for both.
 */
export type Direction = 'remove' | 'add';

/** Losses that a release has with masses of their own: up to a million of them. */
export interface Atoms {
  readonly losses: Float64Array;
  readonly masses: Float64Array;
}

/**
 * The privacy loss L = ln P(o)/Q(o), o ~ P, of a pair (P, Q) that dominates one release: atoms, and a
 * continuous part given through an outcome x with density `density(x)` and loss `loss(x)`, monotone in x;
 * `outcome` inverts it.
 */
export interface LossSource {
  readonly atoms: Atoms;
  readonly continuous?: {
    readonly low: number;
    readonly high: number;
    readonly density: (x: number) => number;
    readonly loss: (x: number) => number;
    /** The x with loss(x) = loss, limited to [low, high]. */
    readonly outcome: (loss: number) => number;
    readonly increasing: boolean;
    /** Bound on the mass outside [low, high]; counted as infinite loss. */
    readonly cut: number;
  };
  /** A typical deviation of the loss, for the choice of a grid. */
  readonly spread: number;
}

/** Standard deviations kept: beyond, Q(14) < 10⁻⁴⁴ on either side. */
const REACH = 14;
const CUT = 2e-44;
const density = (x: number): number => Math.exp((-x * x) / 2 - 0.9189385332046727);

const atomsOf = (...list: readonly (readonly [loss: number, mass: number])[]): Atoms => ({
  losses: Float64Array.from(list, ([loss]) => loss),
  masses: Float64Array.from(list, ([, mass]) => mass),
});
const noAtoms = atomsOf();
const nothing: LossSource = { atoms: atomsOf([0, 1]), spread: 0 };

/** Whether a dominating pair of a release is known here. */
export function hasLossSource(event: SingleEvent): boolean {
  return ['gaussian', 'poisson-sampled-gaussian', 'laplace'].includes(event.kind)
    ? true
    : event.kind !== 'non-private' && pureEpsilon(event) !== undefined;
}

/** The dominating pair of one release, or undefined where none is known here. */
export function lossSource(event: SingleEvent, direction: Direction): LossSource | undefined {
  switch (event.kind) {
    case 'gaussian':
      return gaussianLoss(gaussianMu(event));
    case 'poisson-sampled-gaussian':
      return event.rate === 1
        ? gaussianLoss(gaussianMu(event))
        : sampledGaussianLoss(event.rate, gaussianMu(event), direction);
    case 'laplace':
      return event.gridScale === undefined
        ? laplaceLoss(event.sensitivity / event.noise)
        : discreteLaplaceLoss(event.sensitivity / event.noise, event.gridScale);
    case 'non-private':
      return undefined;
    default: {
      const epsilon = pureEpsilon(event);
      return epsilon === undefined ? undefined : responseLoss(epsilon);
    }
  }
}

/** N(μ, 1) against N(0, 1): loss μx − μ²/2 with x ~ N(μ, 1). */
function gaussianLoss(mu: number): LossSource {
  if (mu === 0) return nothing;
  return {
    atoms: noAtoms,
    continuous: {
      low: mu - REACH,
      high: mu + REACH,
      density: (x) => density(x - mu),
      loss: (x) => mu * x - (mu * mu) / 2,
      outcome: (loss) => Math.min(mu + REACH, Math.max(mu - REACH, loss / mu + mu / 2)),
      increasing: true,
      cut: CUT,
    },
    spread: mu,
  };
}

/**
 * Poisson sampling with rate q (Zhu, Dong & Wang 2022, Theorem 11). `remove`: (1−q)N(0,1) + qN(μ,1) against
 * N(0,1), loss ln(1 − q + q·e^(μx − μ²/2)); `add` is the reverse.
 */
function sampledGaussianLoss(rate: number, mu: number, direction: Direction): LossSource {
  const rest = 1 - rate;
  const raise = (x: number): number => Math.log1p(rate * Math.expm1(mu * x - (mu * mu) / 2));
  const low = -REACH;
  const high = mu + REACH;
  const invert = (loss: number): number => {
    const excess = Math.expm1(loss) + rate;
    if (excess <= 0) return low;
    return Math.min(high, Math.max(low, Math.log(excess / rate) / mu + mu / 2));
  };
  const spread = Math.min(mu, rate * Math.sqrt(Math.expm1(Math.min(mu * mu, 50))));
  return {
    atoms: noAtoms,
    continuous:
      direction === 'remove'
        ? {
            low,
            high,
            density: (x) => rest * density(x) + rate * density(x - mu),
            loss: raise,
            outcome: invert,
            increasing: true,
            cut: CUT,
          }
        : {
            low,
            high: REACH,
            density,
            loss: (x) => -raise(x),
            outcome: (loss) => Math.min(REACH, invert(-loss)),
            increasing: false,
            cut: CUT,
          },
    spread,
  };
}

/**
 * Laplace noise, shift c in scales: atoms ½ at c and ½e^(−c) at −c, and between them x ∈ (0, c) with density
 * ½e^(−x) and loss c − 2x. A shift spread over several coordinates is dominated by this one
 * (docs/privacy/accounting.md).
 */
function laplaceLoss(c: number): LossSource {
  return {
    atoms: atomsOf([c, 0.5], [-c, 0.5 * Math.exp(-c)]),
    continuous: {
      low: 0,
      high: c,
      density: (x) => 0.5 * Math.exp(-x),
      loss: (x) => c - 2 * x,
      outcome: (loss) => Math.min(c, Math.max(0, (c - loss) / 2)),
      increasing: false,
      cut: 0,
    },
    spread: twoPointSpread(c),
  };
}

/** Largest number of atoms listed one by one. */
const MOST_ATOMS = 2 ** 20;

/**
 * Discrete Laplace of scale t steps, shifted by n = ⌊ct⌋ steps: losses (n − 2j)/t at x = j, j = 0 … n, with
 * everything at or beyond the ends gathered there. Its hockey-stick curve meets that of the continuous law at
 * those losses and is its chord between them, which is why it is slightly worse. Beyond a million atoms
 * neighbours are merged upwards.
 */
function discreteLaplaceLoss(c: number, gridScale: number): LossSource {
  const shift = Math.floor(c * gridScale * (1 + 1e-12));
  if (shift === 0) return nothing;
  const merged = Math.max(1, Math.ceil(shift / MOST_ATOMS));
  const q = Math.exp(-1 / gridScale);
  const inner = -Math.expm1(-1 / gridScale) / (1 + q);
  const count = 2 + Math.ceil((shift - 1) / merged);
  const [losses, masses] = [new Float64Array(count), new Float64Array(count)];
  [losses[0], masses[0]] = [shift / gridScale, 1 / (1 + q)];
  for (let j = 1, atom = 1; j < shift; j += merged, atom++) {
    const end = Math.min(shift, j + merged);
    // Σ_{i=j}^{end−1} inner·qⁱ at the largest loss of the group.
    masses[atom] =
      (inner * Math.exp(-j / gridScale) * Math.expm1(-(end - j) / gridScale)) / Math.expm1(-1 / gridScale);
    losses[atom] = (shift - 2 * j) / gridScale;
  }
  [losses[count - 1], masses[count - 1]] = [-shift / gridScale, Math.exp(-shift / gridScale) / (1 + q)];
  return { atoms: { losses, masses }, spread: twoPointSpread(shift / gridScale) };
}

/** Randomised response of ε: dominates every ε-DP mechanism (Kairouz, Oh & Viswanath 2015, Theorem 3.4). */
function responseLoss(epsilon: number): LossSource {
  const up = 1 / (1 + Math.exp(-epsilon));
  return {
    atoms: atomsOf([epsilon, up], [-epsilon, up * Math.exp(-epsilon)]),
    spread: twoPointSpread(epsilon),
  };
}

function twoPointSpread(epsilon: number): number {
  return Math.max(epsilon / 50, epsilon / Math.cosh(epsilon / 2));
}
