import type { PlannedRelease } from '../plan/release-plan.js';
import type { NoiseLayout } from './port.js';

/** Whole numbers up to here stay exact with noise added. */
export const LARGEST_INTEGER = 2 ** 52;

/**
 * Why a statistic of this declared sensitivity cannot get the noise of a line; undefined when it can. The
 * bound is exact: there is no room for rounding, because nothing would pay for it (a pure ε has next to no
 * δ). Whoever declares a sensitivity computes it as the plan does. A bound of each part's own (`perPart`)
 * scales its noise, and a line for which nothing is proved promises nothing.
 */
export function sensitivityExcess(line: PlannedRelease, declared: number): string | undefined {
  const { perPart, proved, sensitivity } = line;
  if (perPart || (proved !== undefined && 'nothingBecause' in proved)) return undefined;
  const planned = proved?.sensitivity ?? sensitivity;
  return declared <= planned ? undefined : `declared sensitivity ${declared} exceeds the planned ${planned}.`;
}

/** Why numbers laid out like this cannot be released by this line; undefined when they can. */
export function layoutMisfit(line: PlannedRelease, layout: NoiseLayout, length: number): string | undefined {
  const { mechanism, perPart } = line;
  if (mechanism.kind === 'k-norm') return vectorMisfit(mechanism.dimension, perPart === true, layout, length);
  switch (layout.kind) {
    case 'vector':
      return undefined;
    case 'vectors':
      return 'vectors with noise of their own are for K-norm noise.';
    case 'symmetric': {
      if (mechanism.kind === 'laplace') return 'the symmetric layout is for Gaussian noise.';
      const triangle = (layout.width * (layout.width + 1)) / 2;
      return Number.isInteger(layout.width) && layout.width >= 1 && length % triangle === 0
        ? undefined
        : `the statistic is not made of packed triangles of width ${layout.width}.`;
    }
    default:
      return layout satisfies never;
  }
}

function vectorMisfit(
  dimension: number,
  perPart: boolean,
  layout: NoiseLayout,
  length: number,
): string | undefined {
  const fits = layout.kind === 'vectors' ? length % dimension === 0 : length === dimension;
  if (!fits || layout.kind === 'symmetric') return `expected vectors of the planned dimension ${dimension}.`;
  if (layout.kind !== 'vectors' || layout.sensitivities === undefined) return undefined;
  if (!perPart) return 'sensitivities per vector need a perPart line.';
  const { sensitivities } = layout;
  return sensitivities.length === length / dimension && sensitivities.every((s) => s >= 0 && s < Infinity)
    ? undefined
    : 'expected one finite sensitivity ≥ 0 for each vector.';
}

/** Whether these are cells of a row: one value per column, columns ascending and below the count. */
export function areCells(columns: Uint32Array, values: Float64Array, columnCount: number): boolean {
  if (columns.length !== values.length) return false;
  for (let i = 0; i < columns.length; i++) {
    if (columns[i] >= columnCount || (i > 0 && columns[i] <= columns[i - 1])) return false;
  }
  return true;
}

/** The cells of size `least` or more: what thresholding keeps when there is no noise. */
export function beyond(
  columns: Uint32Array,
  values: Float64Array,
  least: number,
): { columns: number[]; values: number[] } {
  const kept = Array.from(columns.keys()).filter((i) => Math.abs(values[i]) >= least);
  return { columns: kept.map((i) => columns[i]), values: kept.map((i) => values[i]) };
}
