import type { PrivacyEvent } from '../event.js';
import type { CalibratedRelease, PlannedRelease } from './release-plan.js';

/** A planned release with its noise, and what one of its `count` releases costs. */
export function withNoise(release: PlannedRelease, noise: number): CalibratedRelease {
  return { ...release, noise, event: eventOf(release, noise) };
}

function eventOf(release: PlannedRelease, noise: number): PrivacyEvent {
  const { name, mechanism, proved } = release;
  if (noise === 0) return { kind: 'non-private', because: `${name}: released without noise` };
  if (proved !== undefined && 'nothingBecause' in proved)
    return { kind: 'non-private', because: `${name}: ${proved.nothingBecause}` };
  const sensitivity = proved?.sensitivity ?? release.sensitivity;
  switch (mechanism.kind) {
    case 'gaussian':
      return { kind: 'gaussian', sensitivity, noise };
    case 'laplace':
      return { kind: 'laplace', sensitivity, noise };
    case 'k-norm':
      return { kind: 'k-norm', sensitivity, noise, dimension: mechanism.dimension };
    case 'pure':
      return { kind: 'pure', mechanism: mechanism.mechanism, epsilon: sensitivity / noise };
    case 'poisson-sampled-gaussian':
      return { kind: 'poisson-sampled-gaussian', rate: mechanism.rate, sensitivity, noise };
    default:
      return mechanism satisfies never;
  }
}
