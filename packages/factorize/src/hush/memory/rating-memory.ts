import { randomFactors } from '@hushrec/numerics';
import type { LeftMemory, MethodMemory, RecalledMemory } from '../../method-memory.js';
import type { MeasuredSums } from '../earlier-rounds.js';
import type { ReleasedSums } from '../release-sums.js';
import type { NoisyEffects } from '../shrink-effects.js';
import { countsForget, energiesOf, float32 } from './choice-memory.js';
import {
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

/** What is remembered of ratings. */
interface RatingMemory {
  readonly kept: number;
  readonly figures: RecalledMemory['figures'];
  readonly counts: KnownCounts;
  readonly weights: KnownCounts;
  /** o and b̂ that all remembered sums are around. */
  readonly offset: number;
  readonly effects: Float64Array;
  /** β_j/ŝ_j, where there are no vectors. */
  readonly means: KnownCounts;
  readonly width: number;
  readonly items: Float64Array;
  /** g. */
  readonly constant: Float64Array;
  readonly sums: KnownSums;
  readonly moment: KnownMoment;
}

function ratingMemory({ kept, figures, byItem, arrays }: RecalledMemory): RatingMemory {
  const numbers = (name: string) => Float64Array.from(byItem[name] ?? []);
  const array = (name: string) => Float64Array.from(arrays[name] ?? []);
  const width = figures['width'];
  return {
    kept,
    figures,
    counts: { values: numbers('counts'), precisions: numbers('countPrecisions') },
    weights: { values: numbers('weights'), precisions: numbers('weightPrecisions') },
    offset: figures['offset'],
    effects: numbers('effects'),
    means: { values: numbers('means'), precisions: numbers('meanPrecisions') },
    width,
    items: numbers('items'),
    constant: array('constant'),
    sums: { width, values: numbers('sums'), precisions: numbers('precisions') },
    moment: { matrix: array('moment'), spreads: array('momentSpreads') },
  };
}

/** What the last round of a run on ratings leaves. */
export interface LastTastes {
  readonly measured: MeasuredSums;
  readonly moment: RecalledMoment;
  readonly basis: Float64Array;
  /** V with every direction kept, and g, both in that basis. */
  readonly items: Float64Array;
  readonly constant: Float64Array;
  readonly totalWeight: number;
}

const nothing: KnownCounts = { values: new Float64Array(0), precisions: new Float64Array(0) };

/**
 * A run on ratings and what it remembers: each released figure passes through here, is put together with what
 * is remembered of it, and is noted for the memory that the run leaves. Without a memory released figures
 * stay as they are, bit for bit. Reads released numbers only: post-processing.
 */
export class RatingRecall {
  readonly #memory: RatingMemory | undefined;
  readonly #figures: Record<string, number> = {};
  #counts: RecalledCounts | undefined;
  #weights: RecalledCounts | undefined;
  #means: KnownCounts | undefined;

  /** @param counts released today; a memory that does not fit them is left alone */
  constructor(before: RecalledMemory | undefined, counts: ReleasedSums) {
    const memory = before && ratingMemory(before);
    const fits =
      memory !== undefined && recallCounts(counts, memory.counts, memory.kept ** countsForget).isFitting;
    this.#memory = fits ? memory : undefined;
  }

  get isUsed(): boolean {
    return this.#memory !== undefined;
  }

  /** d of the vectors that are remembered; 0 where there are none. */
  get width(): number {
    return this.#memory?.width ?? 0;
  }

  get offset(): number | undefined {
    return this.#memory?.offset;
  }

  get effects(): Float64Array | undefined {
    return this.#memory?.effects;
  }

  /** A released number that grows with so many people (`per`; 1: it does not). */
  figure(name: string, released: ReleasedSums, per: number): ReleasedSums {
    const now = { value: released.value[0] / per, precision: Math.min(1e30, (per / released.noise) ** 2) };
    const { kept = 1, figures = {} } = this.#memory ?? {};
    const then = { value: figures[name] ?? 0, precision: figures[`${name}Precision`] ?? 0 };
    const both = recallFigure(now, then, kept);
    this.#figures[name] = both.value;
    this.#figures[`${name}Precision`] = both.precision;
    if (this.#memory === undefined) return released;
    return { value: Float64Array.of(per * both.value), noise: per / Math.sqrt(both.precision) };
  }

  counts(released: ReleasedSums): ReleasedSums {
    this.#counts = this.#recall(released, this.#memory?.counts, countsForget);
    return this.#known(released, this.#counts);
  }

  weights(released: ReleasedSums): ReleasedSums {
    this.#weights = this.#recall(released, this.#memory?.weights, countsForget);
    return this.#known(released, this.#weights);
  }

  #recall(released: ReleasedSums, then: KnownCounts | undefined, power: number): RecalledCounts {
    return recallCounts(released, then ?? nothing, (this.#memory?.kept ?? 1) ** power);
  }

  #known(released: ReleasedSums, { values, noise }: RecalledCounts): ReleasedSums {
    return this.#memory === undefined ? released : { value: values, noise };
  }

  /** Sums of effects with what is remembered of their means, each with the noise that is left on it. */
  effectSums(effects: NoisyEffects): NoisyEffects {
    const { sums, noise, weights } = effects;
    const { means, kept = 1 } = this.#memory ?? {};
    const variances = new Float64Array(sums.length).fill(noise ** 2);
    const now = { width: 1, values: Float64Array.from(sums), variances };
    if (means !== undefined && means.values.length > 0 && noise > 0) {
      const then = {
        width: 1,
        values: means.values,
        precisions: Float64Array.from(means.precisions),
      };
      recallSums(now, then, weights, weights, kept);
    }
    this.#means = {
      values: now.values.map((value, item) => value / weights[item]),
      precisions: now.variances.map((variance, item) => Math.min(1e30, weights[item] ** 2 / variance)),
    };
    return this.#memory === undefined ? effects : { ...effects, sums: now.values, variances: now.variances };
  }

  /** V of a warm start, and g: random where directions are new. */
  start(itemCount: number, width: number, deviation: number, random: () => number) {
    const known = this.width;
    const vectors = Float64Array.from(
      known < width ? randomFactors(itemCount, width, deviation, random).data : [],
      (value) => value,
    );
    const all = known < width ? vectors : Float64Array.from(this.#memory?.items ?? []);
    const constant = new Float64Array(width);
    if (known > 0 && known < width)
      for (let item = 0; item < itemCount; item++)
        all.set(this.#memory!.items.subarray(item * known, (item + 1) * known), item * width);
    if (known > 0) constant.set(this.#memory!.constant);
    else constant[0] = 1;
    return { vectors: all, constant };
  }

  sums(now: MeasuredSums, sizes: Float64Array): MeasuredSums {
    if (this.#memory === undefined || this.width === 0) return now;
    const growth = growthOfItems(this.#weights!, this.#memory.weights);
    return recallSums(now, this.#memory.sums, growth, sizes, this.#memory.kept);
  }

  moment(matrix: Float64Array, noise: number, width: number, weight: number): RecalledMoment {
    const then = this.width > 0 ? this.#memory!.moment : undefined;
    return recallMoment(matrix, noise, width, weight, then, this.#memory?.kept ?? 1);
  }

  /** What the run leaves. */
  leave(offset: number, effects: Float64Array, last: LastTastes | undefined): LeftMemory {
    const [counts, weights] = [this.#counts!, this.#weights!];
    const means = this.#means;
    const own: MethodMemory = {
      figures: { ...this.#figures, offset, width: 0 },
      byItem: {
        counts: float32(counts.values),
        countPrecisions: float32(counts.precisions),
        weights: float32(weights.values),
        weightPrecisions: float32(weights.precisions),
        effects: float32(effects),
        ...(means && { means: float32(means.values), meanPrecisions: float32(means.precisions) }),
      },
      arrays: {},
    };
    const told = { isUsed: this.isUsed, countNoise: counts.noise };
    if (last === undefined) return { after: own, ...told };
    const { measured, moment, basis, totalWeight } = last;
    const turned = turnedSums(measured, basis);
    const { matrix, spreads } = turnedMoment(moment, basis, measured.width, totalWeight);
    return {
      ...told,
      energies: energiesOf(measured),
      after: {
        figures: { ...own.figures, width: measured.width },
        byItem: {
          ...own.byItem,
          items: float32(last.items),
          sums: float32(turned.values),
          precisions: float32(turned.precisions),
        },
        arrays: {
          moment: float32(matrix),
          momentSpreads: float32(spreads),
          constant: float32(last.constant),
        },
      },
    };
  }
}
