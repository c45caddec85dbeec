import type { ReleasePlan } from './release-plan.js';

/** A plan that cannot be calibrated; the message says which line and why. */
export class ReleasePlanError extends Error {
  override readonly name = 'ReleasePlanError';
  readonly kind = 'privacy';
  readonly release: string;
  constructor(release: string, message: string) {
    super(message);
    this.release = release;
  }
}

/** Refuses a plan whose lines make no sense: names twice, bad counts, shares that do not sum to 1. */
export function checkPlan(plan: ReleasePlan): void {
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
    if (mechanism.kind === 'k-norm' && !(Number.isInteger(mechanism.dimension) && mechanism.dimension >= 1))
      throw new ReleasePlanError(
        name,
        `"${name}" has dimension ${mechanism.dimension}; expected a whole number ≥ 1.`,
      );
    total += share;
  }
  if (plan.later !== undefined) {
    const other = plan.releases.find(
      ({ mechanism, proved, perPart }) => mechanism.kind !== 'gaussian' || proved || perPart,
    );
    if (other !== undefined)
      throw new ReleasePlanError(
        other.name,
        `"${other.name}" is not a plain Gaussian line; plans in stages have those alone.`,
      );
    if (!(total > 0 && total < 1))
      throw new ReleasePlanError(
        '',
        `Shares of the first stage sum to ${total}; expected a number in (0, 1).`,
      );
    return;
  }
  if (plan.releases.length > 0 && Math.abs(total - 1) > 1e-9)
    throw new ReleasePlanError('', `Shares of the budget sum to ${total}; expected 1.`);
}
