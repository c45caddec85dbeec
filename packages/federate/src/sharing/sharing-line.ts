import type { CalibratedPlan, CalibratedRelease, NoiseLayout } from '@hushrec/privacy';
import { LEAST_GRID_SIGMA, layoutMisfit } from '@hushrec/privacy/recorder-parts';

/**
 * One part of one release as it is handed in: which one it is, and on which grid its whole numbers are. Plain
 * data.
 */
export interface LineShape {
  readonly name: string;
  /** Which of the releases of this name, from 0. */
  readonly occurrence: number;
  readonly part: number;
  readonly length: number;
  /** Of the statistic, in its own unit. */
  readonly gridStep: number;
  /** 1, or the packed triangles' width (noise of scale/√2 beside the diagonal). */
  readonly width: number;
}

/** A request that cannot be answered by adding up shares. */
export class SharingError extends Error {
  override readonly name = 'SharingError';
  readonly kind = 'usage';
  readonly release: string;
  constructor(release: string, message: string) {
    super(`Release "${release}": ${message}`);
    this.release = release;
  }
}

/**
 * The grid on which noise of a line is drawn: `perStep` times finer than the statistic's, as in a run with
 * one curator.
 */
export interface FineGrid {
  readonly step: number;
  readonly perStep: number;
  /** Standard deviation of the certified noise in fine steps; 0 in a run without privacy. */
  readonly effective: number;
}

/** The planned line of a shape. */
export function lineOf(plan: CalibratedPlan, shape: Pick<LineShape, 'name'>): CalibratedRelease {
  const line = plan.releases.find(({ name }) => name === shape.name);
  if (line === undefined) throw new SharingError(shape.name, 'it is not in the plan.');
  return line;
}

/**
 * Whole multiples of a step are whole multiples of half of it: halves the step until rounding costs the
 * guarantee nothing.
 */
export function fineGrid({ noise }: Pick<CalibratedRelease, 'noise'>, gridStep: number): FineGrid {
  let step = gridStep;
  let perStep = 1;
  while (noise > 0 && noise / step < LEAST_GRID_SIGMA) {
    step /= 2;
    perStep *= 2;
  }
  return { step, perStep, effective: noise / step };
}

/**
 * Why a line cannot be shared: only Gaussian sums of one bound for the whole release add up to what one
 * curator would release.
 */
export function sharingMisfit(
  line: CalibratedRelease,
  layout: NoiseLayout,
  length: number,
): string | undefined {
  const { kind } = line.mechanism;
  if (kind !== 'gaussian' && kind !== 'poisson-sampled-gaussian')
    return `${kind} releases cannot be made from shares; only Gaussian sums can.`;
  if (line.perPart) return 'bounds that differ from part to part cannot be shared.';
  if (line.proved !== undefined) return 'its sensitivity is a claim, not a bound: nothing would be promised.';
  return layoutMisfit(line, layout, length);
}

/** Names a line within a run. */
export function lineKey({ name, occurrence, part }: Pick<LineShape, 'name' | 'occurrence' | 'part'>): string {
  return JSON.stringify([name, occurrence, part]);
}

/**
 * The largest absolute value that a sum of `people` contributions with the noise of `noises` noise makers can
 * have, in fine steps: a contribution's entries are within the sensitivity, and a draw passes 10σ with
 * probability below 10^-22.
 */
export function largestSum(
  plan: CalibratedPlan,
  shape: LineShape,
  people: number,
  noiseOnSum: number,
): number {
  const line = lineOf(plan, shape);
  const { step, effective } = fineGrid(line, shape.gridStep);
  return (people * line.sensitivity) / step + 10 * noiseOnSum * effective + 2;
}

/**
 * Squared Euclidean length of whole numbers, of packed triangles the squared Frobenius norm of the full
 * matrices. Rounding stays below n·2^-52 of the result.
 */
export function squaredNorm(values: Float64Array, width: number): number {
  let square = 0;
  let row = 0;
  let column = 0;
  for (const value of values) {
    square += row === column ? value * value : 2 * value * value;
    if (++column === width) {
      row = (row + 1) % width;
      column = row;
    }
  }
  return square;
}
