import {
  composedDivergence,
  gaussianEpsilon,
  type PrivacyEvent,
  PUBLISHED_ORDERS,
  renyiEpsilon,
} from '@hushrec/privacy';

/**
 * A tuned private run of the released code of Chien et al. 2021 on ML-10M (rating prediction), as its
 * notebook sets it.
 */
export interface NotebookRun {
  readonly nominalEpsilon: number;
  readonly delta: number;
  readonly rounds: number;
  /** B: every person's weights satisfy Σ w² = B; also the sample for counts and mean. */
  readonly budget: number;
  /** Standard deviation of the noise on item counts, and the unit of that on the mean. */
  readonly countNoise: number;
  /** Largest centred rating in magnitude; the code never clips ratings. */
  readonly largestTarget: number;
}

const ml10m = { delta: 1e-5, budget: 100, largestTarget: 3.0124 } as const;

/** The three private settings of the notebook. */
export const publishedRuns: readonly NotebookRun[] = [
  { ...ml10m, nominalEpsilon: 1, rounds: 2, countNoise: 200 },
  { ...ml10m, nominalEpsilon: 5, rounds: 3, countNoise: 40 },
  { ...ml10m, nominalEpsilon: 20, rounds: 4, countNoise: 10 },
];

/** What a published run claims, what it costs, and the noise behind both. */
export interface ReplayedRun extends NotebookRun {
  /** Noise multiplier of matrices and vectors that the code's accountant finds for the nominal ε. */
  readonly noiseMultiplier: number;
  /** ε of the same noise under the code's own charges, exactly composed (smaller than nominal). */
  readonly chargedEpsilon: number;
  /** ε when ratings as large as they are count as such; the mean as charged. */
  readonly trueEpsilon: number;
  /** ε when, besides, the mean is charged what it costs. */
  readonly trueEpsilonWithMean: number;
}

/**
 * Replays the accounting of the released DPALS code and recomputes what its noise guarantees.
 *
 * The code adds noise of deviation s·‖u‖ to right-hand sides, as if ratings were bounded by 1, while centred
 * ratings reach 3.01: their μ² is largestTarget² times what is charged. Its mean sums up to B ratings of one
 * person into one scalar: true multipliers are s/√B for the sum and s/B for the count, charged as s each.
 * Both together are the last column.
 */
export function replayPublishedRun(run: NotebookRun): ReplayedRun {
  const { nominalEpsilon, delta, rounds, budget, countNoise, largestTarget } = run;
  const counts = budget / countNoise ** 2;
  const meanAsCharged = 2 / countNoise ** 2;
  const meanInTruth = budget / countNoise ** 2 + budget ** 2 / countNoise ** 2;
  const squaredMuOfRounds = (multiplier: number, target: number) =>
    (rounds * budget * (1 + target ** 2)) / multiplier ** 2;
  const charged = (multiplier: number) => counts + meanAsCharged + squaredMuOfRounds(multiplier, 1);

  const noiseMultiplier = smallestMultiplier(
    (multiplier) =>
      renyiEpsilon(composedDivergence(gaussian(charged(multiplier))), delta, PUBLISHED_ORDERS) <=
      nominalEpsilon,
  );
  const epsilonOf = (squaredMu: number) => gaussianEpsilon(Math.sqrt(squaredMu), delta);
  const inTruth = counts + squaredMuOfRounds(noiseMultiplier, largestTarget);
  return {
    ...run,
    noiseMultiplier,
    chargedEpsilon: epsilonOf(charged(noiseMultiplier)),
    trueEpsilon: epsilonOf(inTruth + meanAsCharged),
    trueEpsilonWithMean: epsilonOf(inTruth + meanInTruth),
  };
}

/**
 * ε that the printed noise of Chien et al. 2021, Theorem 1 (σ = √(2kT(ε + ln 1/δ))/ε) gives when both
 * statistics of a round are counted: μ² = 2kT/σ² = ε²/(ε + ln 1/δ), whatever k and T are.
 */
export function epsilonOfPrintedNoise(nominalEpsilon: number, delta: number): number {
  return gaussianEpsilon(nominalEpsilon / Math.sqrt(nominalEpsilon + Math.log(1 / delta)), delta);
}

function gaussian(squaredMu: number): PrivacyEvent {
  return { kind: 'gaussian', sensitivity: Math.sqrt(squaredMu), noise: 1 };
}

/** Smallest multiplier that is private enough, to 1e-9 relative, from the private side. */
function smallestMultiplier(isEnough: (multiplier: number) => boolean): number {
  let low = 1e-3;
  let high = 1e9;
  while (high / low > 1 + 1e-9) {
    const middle = Math.sqrt(low * high);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
