import { gaussianEpsilon, muFor } from './accounting/gaussian-curve.js';
import type { PrivacyEvent } from './event.js';
import type { CalibratedPlan, CalibratedRelease, PlannedRelease, ReleasePlan } from './release-plan.js';
import { PrivacyParameterError } from './units.js';

/** What a run may cost. ε = Infinity: no noise at all, and no guarantee. */
export interface PrivacyTarget {
  readonly epsilon: number;
  readonly delta: number;
}

/** A plan that cannot be calibrated; the message says which line and why. */
export class ReleasePlanError extends Error {
  override readonly name = 'ReleasePlanError';
  readonly release: string;
  constructor(release: string, message: string) {
    super(message);
    this.release = release;
  }
}

/**
 * δ set aside for the samplers' distance from their exact laws (2^-179 a draw, times 1 + e^ε): this share of the target
 * for plans with δ, `PURE_DELTA` for plans that would have none. Far below any digit that is printed.
 */
const SAMPLER_SHARE_OF_DELTA = 2 ** -30;
/** δ of a plan of pure mechanisms: 2^-100 ≈ 8·10⁻³¹, for the samplers alone. */
export const PURE_DELTA = 2 ** -100;

/**
 * Fixes the noise of every line of a plan, so that all releases together cost at most the target. Reads no data.
 *
 * Gaussian plans: μ from the exact curve; a line with share s and count c gets μ_line = μ√(s/c) and noise
 * sensitivity/μ_line. Pure plans: a line's releases get ε·s/c each. ε = Infinity: noise 0, every event `non-private`.
 * Where a line says what is `proved`, the calibrated plan carries the ε that follows from that, not the target.
 */
export function calibrate(plan: ReleasePlan, target: PrivacyTarget): CalibratedPlan {
  checkTarget(target);
  checkPlan(plan);
  const { releases, ...rest } = plan;
  const finish = (
    delta: number,
    accountant: string,
    noiseOf: (release: PlannedRelease) => number,
    trueEpsilon: (calibrated: readonly CalibratedRelease[]) => number,
  ): CalibratedPlan => {
    const calibrated = releases.map((release) => withNoise(release, noiseOf(release)));
    const asProved = releases.every(({ proved }) => proved === undefined);
    return {
      ...rest,
      epsilon: asProved ? target.epsilon : trueEpsilon(calibrated),
      delta,
      accountant,
      releases: calibrated,
    };
  };

  if (releases.length === 0) return { ...rest, epsilon: 0, delta: 0, accountant: 'none', releases: [] };
  if (target.epsilon === Infinity)
    return finish(
      0,
      'none',
      () => 0,
      () => Infinity,
    );
  if (releases.every(isPure)) {
    return finish(
      PURE_DELTA,
      'pure',
      ({ sensitivity, count, share }) => (sensitivity * count) / (target.epsilon * share),
      (calibrated) => calibrated.reduce((sum, { event, count }) => sum + count * pureEpsilon(event), 0),
    );
  }
  if (releases.every(({ mechanism }) => mechanism.kind === 'gaussian')) {
    const mu = muFor(target.epsilon, target.delta * (1 - SAMPLER_SHARE_OF_DELTA));
    if (!(mu > 0))
      throw new PrivacyParameterError(
        'delta',
        target.delta,
        'a number > 0',
        'Gaussian noise has no guarantee with δ = 0.',
      );
    return finish(
      target.delta,
      'gaussian-dp',
      ({ sensitivity, count, share }) => (sensitivity / mu) * Math.sqrt(count / share),
      (calibrated) =>
        gaussianEpsilon(
          Math.sqrt(calibrated.reduce((sum, { event, count }) => sum + count * gaussianMu(event) ** 2, 0)),
          target.delta,
        ),
    );
  }
  throw new ReleasePlanError(releases[0]!.name, 'This mixture of mechanisms cannot be calibrated yet.');
}

function isPure({ mechanism }: PlannedRelease): boolean {
  return mechanism.kind === 'laplace' || mechanism.kind === 'k-norm' || mechanism.kind === 'pure';
}

function pureEpsilon(event: PrivacyEvent): number {
  if (event.kind === 'pure') return event.epsilon;
  return event.kind === 'laplace' || event.kind === 'k-norm' ? event.sensitivity / event.noise : Infinity;
}

function gaussianMu(event: PrivacyEvent): number {
  return event.kind === 'gaussian' ? event.sensitivity / event.noise : Infinity;
}

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

function checkTarget({ epsilon, delta }: PrivacyTarget): void {
  if (!(epsilon > 0))
    throw new PrivacyParameterError('epsilon', epsilon, 'a number > 0', 'Usual values: 0.1 to 10.');
  if (!(delta >= 0 && delta < 1))
    throw new PrivacyParameterError(
      'delta',
      delta,
      'a number in [0, 1)',
      'Use less than 1 / (10 × number of people).',
    );
}

function checkPlan(plan: ReleasePlan): void {
  const names = new Set<string>();
  let total = 0;
  for (const { name, sensitivity, count, share, mechanism } of plan.releases) {
    if (names.has(name)) throw new ReleasePlanError(name, `Two lines of the plan are called "${name}".`);
    names.add(name);
    if (!(sensitivity > 0 && sensitivity < Infinity))
      throw new ReleasePlanError(
        name,
        `"${name}" has sensitivity ${sensitivity}; expected a finite number > 0.`,
      );
    if (!(Number.isInteger(count) && count >= 1))
      throw new ReleasePlanError(name, `"${name}" is planned ${count} times; expected a whole number ≥ 1.`);
    if (!(share > 0 && share <= 1 + 1e-9))
      throw new ReleasePlanError(
        name,
        `"${name}" has share ${share} of the budget; expected a number in (0, 1].`,
      );
    if (mechanism.kind === 'poisson-sampled-gaussian' && !(mechanism.rate > 0 && mechanism.rate <= 1))
      throw new ReleasePlanError(
        name,
        `"${name}" has sampling rate ${mechanism.rate}; expected a number in (0, 1].`,
      );
    total += share;
  }
  if (plan.releases.length > 0 && Math.abs(total - 1) > 1e-9)
    throw new ReleasePlanError('', `Shares of the budget sum to ${total}; expected 1.`);
}
