import type { AccountantId } from '../accounting/accountant.js';
import { muFor } from '../accounting/gaussian-curve.js';
import { pldAccountant } from '../accounting/pld.js';
import { pureAccountant } from '../accounting/pure.js';
import { rdpAccountant } from '../accounting/rdp.js';
import { tightestEpsilon } from '../accounting/tightest.js';
import { zcdpAccountant } from '../accounting/zcdp.js';
import type { PrivacyEvent } from '../event.js';
import { firstWhereBelow } from '../real/bisect.js';
import { roundUpEpsilon } from '../round-up.js';
import {
  type DeltaInput,
  type EpsilonInput,
  promisedDelta,
  promisedGaussianDelta,
  targetEpsilon,
} from '../units.js';
import { checkPlan, ReleasePlanError } from './check-plan.js';
import type { CalibratedPlan, CalibratedRelease, PlannedRelease, ReleasePlan } from './release-plan.js';
import { stageNoise } from './stages.js';
import { withNoise } from './with-noise.js';

/** What a run may cost. ε = Infinity: no noise at all, and no guarantee. */
export interface PrivacyTarget {
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  /**
   * How noise follows from the target. `exact` (default): the tightest composition known. `rdp`, `zcdp`:
   * looser ones, for comparison. `as-published`: ρ = ε²/(4(ε + ln 1/δ)) of Chien et al. 2021 and Curmei et
   * al. 2023, for Gaussian plans; the plan then carries the true ε, which is smaller.
   */
  readonly accounting?: Accounting;
}

export type Accounting = 'exact' | 'rdp' | 'zcdp' | 'as-published';

/**
 * δ set aside for the samplers' distance from their exact laws (2^-179 a draw, times 1 + e^ε): this share of
 * the target for plans with δ, `PURE_DELTA` for plans that would have none. Far below any digit that is
 * printed.
 */
const SAMPLER_SHARE_OF_DELTA = 2 ** -30;
/** δ of a plan of pure mechanisms: 2^-100 ≈ 8·10⁻³¹, for the samplers alone. */
export const PURE_DELTA = 2 ** -100;

/**
 * Numerical composition depends on its grid by less than this; a plan leaves it, so that its record never
 * costs more.
 */
const NUMERICAL_MARGIN = 2e-4;

/**
 * Fixes the noise of every line of a plan, so that all releases together cost at most the target. Reads no
 * data.
 *
 * A line with share s and count c gets, per release, μ√(s/c) of a common budget μ: noise
 * sensitivity/(μ√(s/c)). For Gaussian plans μ comes from the exact curve; for pure plans a line's releases
 * get ε·s/c each and add up; for mixtures μ is searched with numerical composition, always ending where the
 * cost is at most the target. ε = Infinity: noise 0, every event `non-private`. Where a line says what is
 * `proved`, the calibrated plan carries the ε that follows from that.
 */
export function calibrate(plan: ReleasePlan, target: PrivacyTarget): CalibratedPlan {
  checkTarget(target);
  checkPlan(plan);
  const { releases, ...rest } = plan;
  if (releases.length === 0) return { ...rest, epsilon: 0, delta: 0, accountant: 'none', releases: [] };
  if (target.epsilon === Infinity)
    return {
      ...rest,
      epsilon: Infinity,
      delta: 0,
      accountant: 'none',
      releases: releases.map((release) => withNoise(release, 0)),
      ...(plan.later && { total: { mu: Infinity, firstStage: releases.length } }),
    };
  if (plan.later) return calibrateStages(plan, target);
  const { noiseOf, delta, accountant, loose } = rule(releases, target);
  const calibrated = releases.map((release) => withNoise(release, noiseOf(release)));
  const asClaimed = !loose && releases.every(({ proved }) => proved === undefined);
  const cost = asClaimed ? undefined : tightestEpsilon(composition(calibrated), delta);
  return {
    ...rest,
    epsilon: cost === undefined ? target.epsilon : roundUpEpsilon(cost.epsilon),
    delta,
    accountant: cost?.accountant ?? accountant,
    releases: calibrated,
  };
}

/** The total of a plan in stages, and the noise of its first one. */
function calibrateStages(
  plan: ReleasePlan,
  { epsilon, delta, accounting = 'exact' }: PrivacyTarget,
): CalibratedPlan {
  if (accounting !== 'exact')
    throw new ReleasePlanError(
      '',
      `A plan in stages is accounted exactly; accounting "${accounting}" is not for it.`,
    );
  promisedGaussianDelta(delta);
  const mu = muFor(epsilon, delta * (1 - SAMPLER_SHARE_OF_DELTA));
  const releases = plan.releases.map((line) => withNoise(line, stageNoise(line, mu)));
  return {
    ...plan,
    epsilon,
    delta,
    accountant: 'gaussian-dp',
    releases,
    total: { mu, firstStage: releases.length },
  };
}

interface NoiseRule {
  readonly noiseOf: (release: PlannedRelease) => number;
  readonly delta: number;
  readonly accountant: AccountantId;
  /** The rule leaves more than rounding of the target unused, so the true cost is worth computing. */
  readonly loose: boolean;
}

function rule(releases: readonly PlannedRelease[], target: PrivacyTarget): NoiseRule {
  const { epsilon, delta, accounting = 'exact' } = target;
  if (releases.every(isPure)) {
    const noiseAt = ({ sensitivity, count, share }: PlannedRelease, factor: number) =>
      ((sensitivity * count) / (epsilon * share)) * factor;
    // Shares may miss 1 by rounding, and so may the accountant's sum: neither may end above the target.
    const spent = (factor: number) =>
      pureAccountant.epsilon(
        composition(releases.map(({ proved: _, ...each }) => withNoise(each, noiseAt(each, factor)))),
        0,
      );
    let factor = 1;
    while (spent(factor) > epsilon) factor *= Math.max(spent(factor) / epsilon, 1 + 2 ** -50);
    return {
      noiseOf: (release) => noiseAt(release, factor),
      delta: PURE_DELTA,
      accountant: 'pure',
      loose: false,
    };
  }
  promisedGaussianDelta(delta);
  const available = delta * (1 - SAMPLER_SHARE_OF_DELTA);
  const gaussian = releases.every(({ mechanism }) => mechanism.kind === 'gaussian');
  const shared = (mu: number, accountant: AccountantId, loose = false): NoiseRule => ({
    noiseOf: (release) => sharedNoise(release, mu),
    delta,
    accountant,
    loose,
  });
  switch (accounting) {
    case 'exact':
      if (gaussian) return shared(muFor(epsilon, available), 'gaussian-dp');
      return shared(searchMu(releases, epsilon * (1 - NUMERICAL_MARGIN), available, pldAccountant), 'pld');
    case 'rdp':
      return shared(searchMu(releases, epsilon, available, rdpAccountant), 'rdp');
    case 'zcdp':
      return shared(searchMu(releases, epsilon, available, zcdpAccountant), 'zcdp');
    case 'as-published': {
      if (!gaussian)
        throw new ReleasePlanError(
          releases[0].name,
          'The published closed form is for plans of Gaussian releases only.',
        );
      const rho = epsilon ** 2 / (4 * (epsilon + Math.log(1 / delta)));
      return shared(Math.sqrt(2 * rho), 'gaussian-dp', true);
    }
    default:
      return accounting satisfies never;
  }
}

function isPure({ mechanism }: PlannedRelease): boolean {
  return mechanism.kind === 'laplace' || mechanism.kind === 'k-norm' || mechanism.kind === 'pure';
}

/**
 * Noise of a line under a common budget μ. A Poisson-sampled line gets the noise at which the second moment
 * of its loss, q²(e^(μ₀²) − 1), is that of an unsampled line, so that shares keep their meaning.
 */
function sharedNoise({ mechanism, sensitivity, count, share }: PlannedRelease, mu: number): number {
  const own = mu * Math.sqrt(share / count);
  if (mechanism.kind !== 'poisson-sampled-gaussian') return sensitivity / own;
  return sensitivity / Math.sqrt(Math.log1p((own / mechanism.rate) ** 2));
}

/** The largest μ, to a relative 10⁻⁶, whose plan costs at most ε by the accountant; never beyond it. */
function searchMu(
  releases: readonly PlannedRelease[],
  epsilon: number,
  delta: number,
  accountant: { epsilon(event: PrivacyEvent, delta: number): number },
): number {
  // The cost falls as 1/μ grows.
  const costAt = (inverse: number): number => {
    const claimed = releases.map(({ proved: _, ...release }) =>
      withNoise(release, sharedNoise(release, 1 / inverse)),
    );
    return accountant.epsilon(composition(claimed), delta);
  };
  return 1 / firstWhereBelow(1 / muFor(epsilon, delta), epsilon, 1e-6, costAt);
}

function composition(releases: readonly CalibratedRelease[]): PrivacyEvent {
  return {
    kind: 'composed',
    events: releases.map(({ event, count }) => ({ kind: 'repeated', event, count })),
  };
}

function checkTarget({ epsilon, delta }: PrivacyTarget): void {
  targetEpsilon(epsilon);
  promisedDelta(delta);
}
