import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { LineCoins, PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import { type Contributions, PersonVectorSum } from '@hushrec/statistics';
import { SettingsError, type SettingsSchema } from '../../settings.js';
import type { Side } from '../../shared/solve-side.js';
import type { ItemEncoder } from '../encoder/item-encoder.js';

/** Settings of noised gradients of item parameters. */
export const gradientSettings = {
  samplingRate: {
    type: 'number',
    default: 0.2,
    min: 0.0001,
    max: 1,
    description: 'Chance that a person takes part in a step, independently (Poisson sampling).',
  },
  gradientBound: {
    type: 'number',
    default: 1,
    min: 1e-9,
    max: 1e9,
    description: 'Γ_g: gradients are clipped to this norm.',
  },
  clipped: {
    type: 'choice',
    default: 'person',
    choices: ['person', 'example'],
    description:
      'What is clipped: a person’s whole gradient, or (as printed in the paper) each example’s, which bounds a person by contributionLimit times Γ_g.',
  },
} as const satisfies SettingsSchema;

export interface GradientSettings {
  readonly samplingRate: number;
  readonly gradientBound: number;
  readonly clipped: string;
  readonly contribution: string;
  readonly contributionLimit: number;
}

export const gradientsName = 'item-gradients';

/**
 * Largest change of the summed gradient when a person joins or leaves: Γ_g with clipping per person. With clipping per
 * example a person's examples add up in the same parameters, so it is (number of examples)·Γ_g; the √β·Γ_g of Krichene et al. 2024,
 * Algorithm 6, holds for disjoint coordinates only.
 */
export function gradientSensitivity(settings: GradientSettings): number {
  if (settings.clipped === 'person') return settings.gradientBound;
  if (settings.contribution === 'adaptive') {
    throw new SettingsError(
      'clipped',
      'clipped=example needs contribution=uniform or tail: only then is a person’s number of examples bounded.',
    );
  }
  return settings.gradientBound * settings.contributionLimit;
}

/** Plan line of `steps` noised gradients. */
export function planGradients(settings: GradientSettings, steps: number, share: number): PlannedRelease {
  const sensitivity = gradientSensitivity(settings);
  return {
    name: gradientsName,
    mechanism:
      settings.samplingRate < 1
        ? { kind: 'poisson-sampled-gaussian', rate: settings.samplingRate }
        : { kind: 'gaussian' },
    sensitivity,
    count: steps,
    share,
  };
}

/**
 * ĝ = Σ_{i in the sample} clip(g_i, Γ_g) + noise, over the sampling rate, where g_i = Σ_j w_ij J_jᵀ (u_i·v_j + c_i + offset − r_ij) u_i is the gradient of
 * person i's loss with respect to the encoder's parameters (Krichene et al. 2024, Algorithm 6, corrected: noise has the scale of the clip
 * and the dimension of θ). Item vectors are computed once for all; gradients go back per person, because each is
 * clipped. O(examples × (d + cost of going back)).
 */
export async function releaseGradient(options: {
  readonly recorder: ReleaseRecorder;
  readonly settings: GradientSettings;
  readonly contributions: Contributions;
  readonly encoder: ItemEncoder;
  /** v_j of all items at the present parameters. */
  readonly items: FactorMatrix;
  readonly people: Side;
  readonly offset: number;
  /** All values count as 1. */
  readonly implicit: boolean;
  /** Everyone's coins of this step's Poisson sample. */
  readonly coins: LineCoins;
}): Promise<Float64Array> {
  const { recorder, settings, contributions, encoder, items, people, offset, implicit, coins } = options;
  const { byUser, rootWeights } = contributions;
  const { width } = items;
  const sum = new PersonVectorSum(encoder.parameters.length, settings.gradientBound);
  const addExamples = adderOf(encoder, sum, items, people.factors);
  const [vectors, own] = [items.data, people.factors.data];
  const { indices, values } = byUser;
  const errors = new Float64Array(items.rowCount);
  for (let user = 0; user < byUser.rowCount; user++) {
    const begin = byUser.offsets[user]!;
    const end = byUser.offsets[user + 1]!;
    if (settings.samplingRate < 1 && coins.uniform(user) >= settings.samplingRate) continue;
    if (begin === end) continue;
    const from = user * width;
    const shift = offset + (people.intercept?.[user] ?? 0);
    for (let at = begin; at < end; at++) {
      const to = indices[at]! * width;
      let error = shift - (implicit ? 1 : values[at]!);
      for (let a = 0; a < width; a++) error += own[from + a]! * vectors[to + a]!;
      errors[at - begin] = (rootWeights === undefined ? 1 : rootWeights[at]! ** 2) * error;
    }
    if (settings.clipped === 'person') addExamples(user, indices.subarray(begin, end), errors);
    else {
      for (let at = begin; at < end; at++)
        addExamples(user, indices.subarray(at, at + 1), errors.subarray(at - begin));
    }
  }
  const release = recorder.begin(gradientsName);
  const { statistic, gridStep } = sum.statistic(
    settings.clipped === 'person' ? 1 : settings.contributionLimit,
  );
  const noisy = await release.add(0, statistic, gridStep);
  release.close();
  for (let at = 0; at < noisy.length; at++) noisy[at]! /= settings.samplingRate;
  return noisy;
}

/** Adds clip(Σ_j J_jᵀ e_j u_i) of one person's examples to the sum, by the shortest way the encoder has. */
function adderOf(
  encoder: ItemEncoder,
  sum: PersonVectorSum,
  { rowCount, width }: FactorMatrix,
  people: FactorMatrix,
): (user: number, items: Uint32Array, errors: Float64Array) => void {
  if (encoder.tokenSums) {
    return (user, items, errors) => {
      const { tokens, sums, count } = encoder.tokenSums!(items, errors);
      sum.addOuter(tokens, sums, count, people.data, user * width, width);
    };
  }
  const gradient = new Float32Array(encoder.parameters.length);
  const outputs = zeroFactors(rowCount, width);
  return (user, items, errors) => {
    for (let k = 0; k < items.length; k++) {
      for (let a = 0; a < width; a++)
        outputs.data[items[k]! * width + a] = errors[k]! * people.data[user * width + a]!;
    }
    encoder.addGradient(outputs, gradient, items);
    const ranges = encoder.rangesOf(items);
    sum.add(gradient, ranges);
    for (let r = 0; r < ranges.length; r += 2) gradient.fill(0, ranges[r]!, ranges[r]! + ranges[r + 1]!);
  };
}

/** Adds (λ_j I + C) v_j of all items, taken back to the parameters: ridge and unobserved pairs, public or released. */
export function addPublicGradient(
  gradient: Float32Array,
  encoder: ItemEncoder,
  items: FactorMatrix,
  ridge: Float64Array,
  common?: Float64Array,
): void {
  const { width, data } = items;
  const outputs = zeroFactors(items.rowCount, width);
  for (let item = 0; item < items.rowCount; item++) {
    const from = item * width;
    for (let a = 0; a < width; a++) {
      let sum = ridge[item]! * data[from + a]!;
      if (common) for (let b = 0; b < width; b++) sum += common[a * width + b]! * data[from + b]!;
      outputs.data[from + a] = sum;
    }
  }
  encoder.addGradient(outputs, gradient);
}
