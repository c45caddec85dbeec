import { gaussLegendre } from '../real/gauss-legendre.js';
import type { LossSource } from './loss-source.js';

/** Whether a discretised loss bounds the true cost from above or from below. */
export type Bound = 'pessimistic' | 'optimistic';

/** A privacy loss on a grid: `masses[i]` at (first + i)·step + offset, `infinite` at +∞. */
export interface GridLoss {
  readonly step: number;
  readonly first: number;
  readonly offset: number;
  readonly masses: Float64Array;
  /** ln of `masses`, because moments are asked for at many orders. */
  readonly logMasses: Float64Array;
  readonly infinite: number;
}

const { nodes, weights } = gaussLegendre(8);
/** Panels of quadrature are at most this wide in the outcome x, on which all densities vary slowly. */
const PANEL = 0.5;

/**
 * Puts a loss on the grid of the given step.
 *
 * Pessimistic ("connecting the dots", Doroshenko et al. 2022): the mass of each cell goes to its two ends so
 * that both P and Q keep their mass. The hockey-stick curve then agrees with the true one at the grid points
 * and lies above it between them, with an error of order step².
 *
 * Optimistic: each cell is merged into one outcome, which is post-processing and so can only lower the cost,
 * and all cells are rounded down to a common position inside their cell.
 */
export function putOnGrid(source: LossSource, step: number, bound: Bound): GridLoss {
  const lossRange = rangeOf(source);
  const first = Math.floor(lossRange.low / step) - 1;
  const cells = Math.ceil(lossRange.high / step) + 1 - first;
  const toUpper = new Float64Array(cells);
  const toLower = new Float64Array(cells);
  const scale = -Math.expm1(-step);
  const deposit = (cell: number, above: number, mass: number): void => {
    const share = Math.min(1, Math.max(0, -Math.expm1(-above) / scale));
    toUpper[cell] += mass * share;
    toLower[cell] += mass * (1 - share);
  };
  const { losses, masses: atomMasses } = source.atoms;
  for (let atom = 0; atom < losses.length; atom++) {
    const loss = losses[atom];
    // An atom on a grid point up to rounding stays there.
    const nearest = Math.round(loss / step);
    const onGrid = Math.abs(loss - nearest * step) <= 1e-13 * Math.max(step, Math.abs(loss));
    const cell = onGrid ? nearest : Math.floor(loss / step);
    deposit(cell - first, onGrid ? 0 : Math.max(0, loss - cell * step), atomMasses[atom]);
  }
  const continuous = source.continuous;
  if (continuous !== undefined) {
    for (let cell = 0; cell < cells; cell++) {
      const lossLow = (first + cell) * step;
      let a = continuous.outcome(lossLow);
      let b = continuous.outcome(lossLow + step);
      if (!continuous.increasing) [a, b] = [b, a];
      if (!(b > a)) continue;
      const panels = Math.ceil((b - a) / PANEL);
      const width = (b - a) / panels;
      for (let panel = 0; panel < panels; panel++) {
        for (let k = 0; k < nodes.length; k++) {
          const x = a + width * (panel + nodes[k]);
          deposit(cell, continuous.loss(x) - lossLow, width * weights[k] * continuous.density(x));
        }
      }
    }
  }
  const cut = continuous?.cut ?? 0;
  if (bound === 'optimistic') return merged(toUpper, toLower, step, first);
  const masses = connected(toUpper, toLower);
  return { step, first, offset: 0, masses, logMasses: masses.map(Math.log), infinite: cut };
}

/** Least and largest loss. */
export function rangeOf({ atoms, continuous }: LossSource): { low: number; high: number } {
  const ends =
    continuous === undefined ? [] : [continuous.loss(continuous.low), continuous.loss(continuous.high)];
  return {
    low: atoms.losses.reduce((low, loss) => Math.min(low, loss), Math.min(...ends)),
    high: atoms.losses.reduce((high, loss) => Math.max(high, loss), Math.max(...ends)),
  };
}

function connected(toUpper: Float64Array, toLower: Float64Array): Float64Array {
  const masses = new Float64Array(toUpper.length + 1);
  for (let cell = 0; cell < toUpper.length; cell++) {
    masses[cell] += toLower[cell];
    masses[cell + 1] += toUpper[cell];
  }
  return masses;
}

/** Cells lighter than this are dropped from the optimistic law, which only lowers it. */
const NEGLIGIBLE = 1e-40;

function merged(toUpper: Float64Array, toLower: Float64Array, step: number, first: number): GridLoss {
  const masses = new Float64Array(toUpper.length);
  let offset = step;
  for (let cell = 0; cell < masses.length; cell++) {
    const mass = toUpper[cell] + toLower[cell];
    if (mass < NEGLIGIBLE) continue;
    masses[cell] = mass;
    // Q-mass over P-mass, relative to the lower end of the cell; its logarithm is the loss of the merged
    // outcome.
    const kept = (toLower[cell] + toUpper[cell] * Math.exp(-step)) / mass;
    offset = Math.min(offset, -Math.log(kept));
  }
  return {
    step,
    first,
    offset: Math.max(0, offset * (1 - 1e-9)),
    masses,
    logMasses: masses.map(Math.log),
    infinite: 0,
  };
}
