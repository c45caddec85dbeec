import { ReleasePlanError } from './check-plan.js';
import type { CalibratedPlan, CalibratedRelease, PlannedRelease } from './release-plan.js';
import { withNoise } from './with-noise.js';

/**
 * Lines of a next stage, with their noise: share s and count c get, per release, μ√(s/c) of the plan's total
 * μ.
 *
 * **Filter.** Releases with Gaussian noise whose μ_i = sensitivity/noise may be chosen from earlier releases
 * cost μ together if Σμ_i² ≤ μ² always (Smith & Thakurta 2022; Koskela, Tobaben & Honkela 2022). Proof, on
 * the grid: by the rounding lemma (docs/privacy/noise.md) a release on the grid is post-processing of the
 * Gaussian mechanism with the planned noise. Between neighbours release i differs by a shift of length at
 * most μ_i noises in some direction that is fixed given the earlier releases; across that direction it is
 * noise alone. So it tells no more than an increment, over a time of length μ_i², of a Wiener process with
 * drift θ ∈ {0, 1}. Increments that follow each other within [0, μ²], with lengths chosen from what was seen,
 * are a function of the whole path on [0, μ²] and independent coins; given its end, the path is a Brownian
 * bridge whatever θ is. So everything together tells no more than the end: one draw of N(θμ², μ²), which is
 * μ-Gaussian DP. ∎
 *
 * The sum is kept in floating point, so noise is rounded up by 2⁻⁴⁰, far more than all rounding of sums of up
 * to 2¹⁰ lines.
 *
 * **Allocation.** A stage cannot overspend: where its shares ask for more than is left, all of them shrink by
 * the same factor to what is left. A rule that asked for too much in some branch gets more noise, and Σμ_i² ≤
 * μ² holds whatever it asked for.
 *
 * @throws ReleasePlanError where a line is not in the envelope, or nothing is left; then nothing is added
 */
export function planStage(
  plan: CalibratedPlan,
  lines: readonly PlannedRelease[],
  stagesBefore: number,
): readonly CalibratedRelease[] {
  const { later, total } = plan;
  if (later === undefined || total === undefined)
    throw new ReleasePlanError('', 'This plan has one stage: nothing can be added to it.');
  if (stagesBefore >= later.stages)
    throw new ReleasePlanError('', `The plan declares ${later.stages} further stages, and all were made.`);
  const known = new Set(plan.releases.map(({ name }) => name));
  const allowed = new Map(later.allowed.map((line) => [line.name, line]));
  for (const line of lines) {
    checkLine(line, allowed, known);
    known.add(line.name);
  }
  const added = plan.releases.length - total.firstStage + lines.length;
  if (added > later.lines)
    throw new ReleasePlanError(
      '',
      `The plan declares ${later.lines} further lines; this stage makes ${added}.`,
    );
  const asPlanned = withinTotal(plan.releases, lines, total.mu);
  if (asPlanned !== undefined) return asPlanned;
  // Of the total what is left, a little less for rounding.
  const asked = lines.reduce((sum, { share }) => sum + share, 0);
  const left = 1 - squaredMu(plan.releases) / total.mu ** 2;
  const fraction = (left / asked) * (1 - 2 ** -30);
  const scaled =
    left > 2 ** -20 &&
    withinTotal(
      plan.releases,
      lines.map((line) => ({ ...line, share: line.share * fraction })),
      total.mu,
    );
  if (!scaled)
    throw new ReleasePlanError(
      lines[0]?.name ?? '',
      'Nothing is left for this stage of the total that was fixed before any data was read.',
    );
  return scaled;
}

/** The lines with their noise; undefined where all together would go beyond the total. */
function withinTotal(
  before: readonly CalibratedRelease[],
  lines: readonly PlannedRelease[],
  mu: number,
): readonly CalibratedRelease[] | undefined {
  const staged = lines.map((line) => withNoise(line, stageNoise(line, mu)));
  return squaredMu([...before, ...staged]) <= mu ** 2 ? staged : undefined;
}

/** Noise of a line under a total μ that a filter watches. */
export function stageNoise({ sensitivity, count, share }: PlannedRelease, mu: number): number {
  return mu === Infinity ? 0 : (sensitivity / (mu * Math.sqrt(share / count))) * (1 + 2 ** -40);
}

/** Σ count·(sensitivity/noise)² of Gaussian lines, rounded up; 0 for lines without noise. */
export function squaredMu(
  lines: readonly Pick<CalibratedRelease, 'sensitivity' | 'noise' | 'count'>[],
): number {
  let sum = 0;
  for (const { sensitivity, noise, count } of lines) if (noise > 0) sum += count * (sensitivity / noise) ** 2;
  return sum * (1 + 2 ** -45);
}

function checkLine(
  line: PlannedRelease,
  allowed: ReadonlyMap<string, AllowedLine>,
  known: ReadonlySet<string>,
): void {
  const { name, mechanism, sensitivity, count, share } = line;
  const refuse = (why: string): never => {
    throw new ReleasePlanError(name, `"${name}" ${why}`);
  };
  if (known.has(name)) refuse('is in the plan already.');
  const form = allowed.get(name) ?? refuse('is not in the declared envelope.');
  if (mechanism.kind !== 'gaussian' || line.proved !== undefined || line.perPart)
    refuse('is not a plain Gaussian line; later stages consist of those alone.');
  if (!(sensitivity > 0 && sensitivity <= form.sensitivity))
    refuse(`has sensitivity ${sensitivity}; the envelope allows ${form.sensitivity}.`);
  if (!(Number.isInteger(count) && count >= 1 && count <= form.count))
    refuse(`is planned ${count} times; the envelope allows ${form.count}.`);
  if (!(share > 0 && share <= 1)) refuse(`has share ${share} of the budget; expected a number in (0, 1].`);
}

/** A line that a later stage may have. */
export interface AllowedLine {
  readonly name: string;
  /** The most its sensitivity may be. */
  readonly sensitivity: number;
  /** The most it may be released. */
  readonly count: number;
  /** The most numbers one release of it may have. */
  readonly numbers: number;
}

/** What later stages may consist of, declared before any data is read. */
export interface StageEnvelope {
  /** Most stages after the first. */
  readonly stages: number;
  /** Most lines of all of them together. */
  readonly lines: number;
  /** Most numbers released by all of them together. */
  readonly numbers: number;
  readonly allowed: readonly AllowedLine[];
  /** The rule in words, for the certificate: what the lines of later stages depend on. */
  readonly rule: string;
}
