import type { Method } from '@hushrec/factorize';
import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type ReleaseRecorder,
  wrapRecorder,
} from '@hushrec/privacy';
import { itemMeansMethod } from './noisy-item-means.test.data.js';
import { recordersInStep } from './recorders-in-step.js';

/**
 * Faults that leave everything running and void the guarantee, planted on purpose: an audit that does not
 * catch each of them is not worth running. Never use any of this for anything else.
 */
export interface PlantedFault {
  readonly name: string;
  /** A method with the fault in it, or the correct one where the fault is in the noise. */
  readonly method: Method;
  readonly makeRecorder?: (plan: CalibratedPlan) => ReleaseRecorder;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'clipping removed',
    method: itemMeansMethod({ labelsUnclipped: true, contributionsUnbounded: true }),
  },
  { name: 'labels unclipped', method: itemMeansMethod({ labelsUnclipped: true }) },
  { name: 'noise at half scale', method: itemMeansMethod({}), makeRecorder: halfTheNoise },
  { name: 'same noise used twice', method: itemMeansMethod({}), makeRecorder: sameNoiseTwice },
  { name: 'a release left off the record', method: itemMeansMethod({ releaseOffRecord: true }) },
  { name: 'counts used without noise', method: itemMeansMethod({ exactCounts: true }) },
];

/** Draws half of what the plan says, and says nothing. */
export function halfTheNoise(plan: CalibratedPlan): ReleaseRecorder {
  const weaker = createRecorder({
    ...plan,
    releases: plan.releases.map((release) => ({ ...release, noise: release.noise / 2 })),
    ...(plan.total && { total: { ...plan.total, mu: 2 * plan.total.mu } }),
  });
  const honest = createRecorder(plan);
  return recordersInStep({ draws: weaker, follows: honest, plan: honest });
}

/** Gives every release the noise of the first one of its length, scaled to its own plan. */
export function sameNoiseTwice(plan: CalibratedPlan): ReleaseRecorder {
  const honest = createRecorder(plan);
  const exact = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }), { seed: 0 });
  const first = new Map<number, Float64Array>();
  const spoiled = wrapRecorder(honest, (release, name) => {
    const truth = exact.begin(name);
    return {
      async add(part, statistic, gridStep, layout) {
        const values = await release.add(part, statistic, gridStep, layout);
        const own = await truth.add(part, statistic, gridStep, layout);
        const used = first.get(values.length);
        if (used !== undefined) return own.map((value, at) => value + used[at] * release.noise);
        first.set(
          values.length,
          values.map((value, at) => (value - own[at]) / release.noise),
        );
        return values;
      },
    };
  });
  return recordersInStep({ draws: spoiled, follows: exact, plan: spoiled });
}
