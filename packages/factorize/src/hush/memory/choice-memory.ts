import { type FactorMatrix, randomFactors, symmetricEigen } from '@hushrec/numerics';
import type { ItemEnergies } from '../../item-noise.js';
import type { MethodMemory, RecalledMemory } from '../../method-memory.js';
import type { MeasuredSums } from '../earlier-rounds.js';
import { eigenvalueFloor } from '../eigen-coordinates.js';
import type { ReleasedSums } from '../release-sums.js';
import { type NoisyChoiceSums, shrinkChoices } from '../shrink-choices.js';
import { shrinkButKeep } from '../shrinkage.js';
import {
  type Figure,
  growthOfItems,
  type KnownCounts,
  type RecalledCounts,
  recallCounts,
  recallFigure,
} from './recall-counts.js';
import {
  type KnownMoment,
  type KnownSums,
  type RecalledMoment,
  recallMoment,
  recallSums,
  turnedMoment,
  turnedSums,
} from './recall-sums.js';

/** Power of what is kept of vectors with which counts are kept: what is popular changes sooner than taste. */
export const countsForget = 2.5;

/** What is remembered of choices. */
export interface ChoiceMemory {
  readonly kept: number;
  readonly people: Figure;
  readonly counts: KnownCounts;
  /** d of the vectors; 0 where there were none. */
  readonly width: number;
  /** V, from which tastes are found at once. */
  readonly items: Float32Array;
  readonly sums: KnownSums;
  readonly moment: KnownMoment;
}

export function choiceMemory({ kept, figures, byItem, arrays }: RecalledMemory): ChoiceMemory {
  const width = figures['width'];
  const numbers = (name: string) => Float64Array.from(byItem[name] ?? []);
  return {
    kept,
    people: { value: figures['people'], precision: figures['peoplePrecision'] },
    counts: { values: numbers('counts'), precisions: numbers('countPrecisions') },
    width,
    items: byItem['items'] ?? new Float32Array(0),
    sums: { width, values: numbers('sums'), precisions: numbers('precisions') },
    moment: {
      matrix: Float64Array.from(arrays['moment'] ?? []),
      spreads: Float64Array.from(arrays['momentSpreads'] ?? []),
    },
  };
}

/** How many there are and what is popular, with what is remembered of it. */
export interface RecalledPopulation {
  readonly people: Figure;
  readonly counts: RecalledCounts;
}

export function recallPopulation(
  memory: ChoiceMemory | undefined,
  people: Figure,
  counts: ReleasedSums,
): RecalledPopulation {
  const nothing = { values: new Float64Array(0), precisions: new Float64Array(0) };
  const kept = (memory?.kept ?? 1) ** countsForget;
  return {
    people: memory === undefined ? people : recallFigure(people, memory.people, kept),
    counts: recallCounts(counts, memory?.counts ?? nothing, kept),
  };
}

/**
 * V of a warm start: the vectors that are remembered, and random ones of their size for directions that are
 * new. Tastes follow from it at once.
 */
export function recalledItems(
  { items: before, width: known }: ChoiceMemory,
  itemCount: number,
  width: number,
  random: () => number,
): FactorMatrix {
  if (known === width) return { rowCount: itemCount, width, data: Float32Array.from(before) };
  const square = before.reduce((sum, value) => sum + value ** 2, 0);
  const items = randomFactors(itemCount, width, Math.sqrt(square / before.length), random);
  for (let item = 0; item < itemCount; item++)
    items.data.set(before.subarray(item * known, (item + 1) * known), item * width);
  return items;
}

/** What a round of a refresh knows of its sums and moment: today's, and what is remembered. */
export class RecalledRound {
  readonly #memory: ChoiceMemory;
  readonly #growth: Float64Array;

  constructor(memory: ChoiceMemory, counts: RecalledCounts) {
    this.#memory = memory;
    this.#growth = growthOfItems(counts, memory.counts);
  }

  sums(now: MeasuredSums, sizes: Float64Array): MeasuredSums {
    return recallSums(now, this.#memory.sums, this.#growth, sizes, this.#memory.kept);
  }

  moment(matrix: Float64Array, noise: number, width: number, weight: number): RecalledMoment {
    return recallMoment(matrix, noise, width, weight, this.#memory.moment, this.#memory.kept);
  }
}

/** The last round of a run, of which the next one is told. */
export interface LastRound {
  readonly sums: NoisyChoiceSums;
  readonly moment: RecalledMoment;
  /** Σ_i ω_i, about. */
  readonly weight: number;
}

/** V with every direction kept, in units in which tastes have variance 1 in every direction. */
async function whiteItems(sums: NoisyChoiceSums) {
  const white = await shrinkChoices(sums, shrinkButKeep);
  const { values: found, vectors: basis } = symmetricEigen(sums.moment, sums.vectors.width);
  const floor = eigenvalueFloor(found, sums.momentNoise);
  return { white, basis, perPerson: found.map((value) => Math.max(value, floor) / sums.peopleWeight) };
}

/**
 * V and s for the next round of a refresh, in the coordinates of this one, so that what is remembered can be
 * put together with what is said then, too. O(items · d² + d³).
 */
export async function nextItems(sums: NoisyChoiceSums, gauge: number) {
  const { width } = sums.vectors;
  const { white, basis, perPerson } = await whiteItems(sums);
  const items = new Float64Array(white.length);
  for (let begin = 0; begin < white.length; begin += width)
    for (let k = 0; k < width; k++) {
      const along = white[begin + k] / Math.sqrt(perPerson[k]);
      for (let a = 0; a < width; a++) items[begin + a] += gauge * along * basis[k * width + a];
    }
  return { items, gauge: gauge / Math.sqrt(perPerson.reduce((sum, value) => sum + value, 0)) };
}

/**
 * What a run on choices leaves: what it knows, and sums and moment turned as people will speak next. With the
 * vectors that are left tastes have variance 1 in every direction, so people say T·(what they said), T =
 * s·(K/N)^(−1/2)Qᵀ in the eigenbasis Q of the moment, with the gauge s = 1/√d: all directions stand out of
 * the noise alike, new ones, too. O(items · d² + d³).
 */
export async function leaveChoices(
  { people, counts }: RecalledPopulation,
  last: LastRound | undefined,
): Promise<MethodMemory> {
  const own = {
    figures: { people: people.value, peoplePrecision: people.precision, width: 0 },
    byItem: { counts: float32(counts.values), countPrecisions: float32(counts.precisions) },
    arrays: {},
  };
  if (last === undefined) return own;
  const { sums, moment, weight } = last;
  const { width } = sums.vectors;
  const { white, basis, perPerson } = await whiteItems(sums);
  const turn = basis.map((part, at) => part / Math.sqrt(width * perPerson[Math.floor(at / width)]));
  const turned = turnedSums(sums.vectors, turn);
  const { matrix, spreads } = turnedMoment(moment, turn, width, weight);
  return {
    figures: { ...own.figures, width },
    byItem: {
      ...own.byItem,
      items: float32(white),
      sums: float32(turned.values),
      precisions: float32(turned.precisions),
    },
    arrays: { moment: float32(matrix), momentSpreads: float32(spreads) },
  };
}

/** Squared lengths of vectors in standard deviations of the noise that is left on them. */
export function energiesOf({ width, values, variances }: MeasuredSums): ItemEnergies {
  const energies = new Float64Array(values.length / width);
  values.forEach((value, at) => {
    energies[Math.floor(at / width)] += value ** 2 / variances[at];
  });
  return { width, noise: 1, energies };
}

export function float32(values: Float64Array): Float32Array {
  return Float32Array.from(values);
}
