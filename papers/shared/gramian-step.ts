import type { IdleRule } from '@hushrec/factorize';
import { SettingsError, type SettingsSchema } from '@hushrec/factorize';
import { projectPositiveSemidefinite, unpackSymmetric } from '@hushrec/numerics';
import type { ReleaseRecorder } from '@hushrec/privacy';
import type { GridSums } from '@hushrec/statistics';

/** Settings of feedback without ratings: what people did not choose counts a little too. */
export const implicitSettings = {
  feedback: {
    type: 'choice',
    default: 'explicit',
    choices: ['explicit', 'implicit'],
    description: 'Predict ratings, or what people choose (all values count as 1).',
  },
  unobservedWeight: {
    type: 'number',
    default: 0,
    min: 0,
    max: 100,
    description: 'λ₀: weight of all pairs, chosen or not (implicit); uses a released Gramian of people.',
  },
  gramianShare: {
    type: 'number',
    default: 0.05,
    min: 0.0001,
    max: 0.9,
    description: 'Share of a round for the Gramian, where unobservedWeight needs it.',
  },
} as const satisfies SettingsSchema;

/** Which of them count. */
export function idleImplicit(settings: {
  readonly unobservedWeight: number;
}): readonly IdleRule<keyof typeof implicitSettings>[] {
  return [[settings.unobservedWeight === 0, 'unobservedWeight above 0', 'gramianShare']];
}

/**
 * Refuses λ₀ with ratings: the published step for ratings (see `FactorModel`) has no term for what a person
 * did not rate, so that devices would fit people in another way than training did.
 */
export function refuseUnobservedRatings(settings: {
  readonly feedback: string;
  readonly unobservedWeight: number;
}): void {
  const { feedback, unobservedWeight } = settings;
  if (feedback === 'implicit' || unobservedWeight === 0) return;
  throw new SettingsError(
    'unobservedWeight',
    `unobservedWeight=${unobservedWeight} counts what people did not choose, and with ratings no device counts that: people would be fitted in another way than in training. Set unobservedWeight=0, or feedback=implicit.`,
  );
}

/** Name of the release of `releaseGramian`; its sensitivity is Γ_u². */
export const gramianName = 'user-gramian';

/**
 * weight · Π₊(Σ_i u_i u_iᵀ + noise) as a full d × d matrix: what unobserved pairs add to every item's system
 * (Chien et al. 2021, §4). One release of Frobenius sensitivity Γ_u².
 */
export async function releaseGramian(
  recorder: ReleaseRecorder,
  { statistic, gridStep }: GridSums,
  options: { readonly name: string; readonly weight: number; readonly width: number },
): Promise<Float64Array> {
  const { width } = options;
  const release = recorder.begin(options.name);
  const noisy = await release.add(0, statistic, gridStep, { kind: 'symmetric', width });
  release.close();
  const projected = projectPositiveSemidefinite(unpackSymmetric(noisy, width), width);
  return projected.map((value) => value * options.weight);
}
