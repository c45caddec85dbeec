import type { ItemNoise } from '@hushrec/factorize';
import type { CalibratedPlan, ReleasedValue, ReleaseRequest } from '@hushrec/privacy';

/** Shows a release to whoever estimates how much of it is noise. */
export function watchRelease(
  seen: ItemNoise,
  plan: CalibratedPlan,
  request: ReleaseRequest,
  value: ReleasedValue,
): void {
  if (request.kind !== 'numbers' || value.kind !== 'numbers') return;
  seen.watch({
    release: request.release,
    part: request.part,
    noise: plannedNoise(plan, request),
    values: value.values,
    layout: request.layout,
  });
}

/** Noise of a release by the plan, with the lines of every stage so far. */
export function plannedNoise({ releases }: CalibratedPlan, { release }: ReleaseRequest): number {
  return releases.find(({ name }) => name === release)?.noise ?? 0;
}
