import { SettingsError, type SettingsSchema } from '@hushrec/factorize';
import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import type { People } from '@hushrec/statistics';
import { type GradientQuestion, itemGradients } from '../../statistics/item-gradients.js';
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
 * Largest change of the summed gradient when a person joins or leaves: Γ_g with clipping per person. With
 * clipping per example a person's examples add up in the same parameters, so it is (number of examples)·Γ_g;
 * the √β·Γ_g of Krichene et al. 2024, Algorithm 6, holds for disjoint coordinates only.
 */
function gradientSensitivity(settings: GradientSettings): number {
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

/** ĝ = (Σ_{i in the sample} clip(g_i, Γ_g) + noise)/rate, from sums of `itemGradients`. */
export async function releaseGradient(
  people: People,
  recorder: ReleaseRecorder,
  question: GradientQuestion,
  signal?: AbortSignal,
): Promise<Float64Array> {
  const { gradient } = await people.sum(itemGradients, question, signal);
  const release = recorder.begin(gradientsName);
  const noisy = await release.add(0, gradient.statistic, gradient.gridStep);
  release.close();
  for (let at = 0; at < noisy.length; at++) noisy[at] /= question.rate;
  return noisy;
}

/**
 * Adds (λ_j I + C) v_j of all items, taken back to the parameters: ridge and unobserved pairs, public or
 * released.
 */
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
      let sum = ridge[item] * data[from + a];
      if (common) for (let b = 0; b < width; b++) sum += common[a * width + b] * data[from + b];
      outputs.data[from + a] = sum;
    }
  }
  encoder.addGradient(outputs, gradient);
}
