import {
  defineMethod,
  idleBy,
  SettingsError,
  type SettingsOf,
  type SettingsSchema,
} from '@hushrec/factorize';
import type { Csr } from '@hushrec/numerics';
import { type PlannedRelease, type ReleaseRecorder, sensitive } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { type Averages, clampedResiduals, releaseAverages } from './averages.js';
import { averagesSchema, planAverages } from './averages-budget.js';
import { printedAveragesClaim } from './claims.js';
import { factorSchema, factorShare } from './factor-settings.js';
import { covarianceSensitivity, covarianceStep, itemCovariance, triangleRow } from './item-covariance.js';
import { nearestNeighbours } from './nearest-neighbours.js';
import { gridStep, presenceOrValue, protectionOf } from './protected-rating.js';

const schema = {
  ...averagesSchema,
  itemShare: { ...averagesSchema.itemShare, default: 0.44 },
  userShare: { ...averagesSchema.userShare, default: 0.44 },
  residualBound: factorSchema.residualBound,
  neighbours: { type: 'integer', default: 100, min: 1, max: 2000, description: 'Neighbours kept per item.' },
  covarianceShrinkage: {
    type: 'number',
    default: 20,
    min: 0,
    max: 1e6,
    description: 'β_c: weight of the average covariance in every cell.',
  },
  itemLimit: {
    type: 'integer',
    default: 4000,
    min: 2,
    max: 20000,
    description:
      'Only this many items, those with most (released) ratings, get neighbours; memory grows as its square.',
  },
} as const satisfies SettingsSchema;

type Settings = SettingsOf<typeof schema>;

/**
 * Private k-nearest neighbours: Friedman, Berkovsky, Kaafar 2016, §5.4, after McSherry & Mironov 2009.
 *
 * Averages, then the noisy weighted item–item covariance C and mass M (see `item-covariance.ts` for their
 * sensitivity); S = (C + β_c C̄)/(M + β_c), similarity S_jl/√(S_jj S_ll). The person's own residuals enter
 * the prediction raw, on their device: unlike the factor methods, nothing about single people is published.
 * Where only values are protected, M is public and exact.
 */
export const privateKnn = defineMethod({
  id: 'private-knn',
  title: 'Item neighbours from a noisy covariance',
  paper: 'Friedman, Berkovsky, Kaafar 2016, §5.4 (McSherry & Mironov 2009)',
  ...presenceOrValue,
  settings: schema,
  idle: ({ unit }) => idleBy([unit === 'rating-value', 'unit=rating-presence', 'repaired']),
  plan(settings, shape) {
    return {
      ...protectionOf(settings.unit),
      released: 'item averages, user averages, item–item covariance',
      releases: [...planAverages(settings, shape.scale), ...planCovariance(settings, shape.itemCount)],
      ...printedAveragesClaim(settings, shape),
    };
  },
  async train({ ratings, settings, recorder, progress, signal }) {
    if (ratings.userCount > 2 ** 18) {
      throw new SettingsError(
        'itemLimit',
        'private-knn sums exactly for at most 262144 people. Use a factor method.',
      );
    }
    const averages = await releaseAverages(settings, ratings, recorder);
    const size = Math.min(ratings.itemCount, settings.itemLimit);
    const listed = mostRated(averages.itemCounts, size);
    const { rows, residuals } = restrict(ratings, averages, listed, settings.residualBound);
    const { covariance, mass } = itemCovariance(rows, residuals, size);
    progress?.({ stage: 'covariance', done: 1, total: 2 });
    const noised = (name: string, units: Float64Array) =>
      releaseTriangle(recorder, name, units, size, settings.unit, signal);
    const noisyCovariance = await noised('covariance', covariance);
    const noisyMass =
      settings.unit === 'rating-value'
        ? mass.map((units) => units * covarianceStep)
        : await noised('mass', mass);
    await letInterruptionsIn(signal);
    const similarity = similarities(noisyCovariance, noisyMass, size, settings.covarianceShrinkage);
    progress?.({ stage: 'covariance', done: 2, total: 2 });
    return {
      model: {
        kind: 'neighbours',
        feedback: 'explicit',
        ...nearestNeighbours(similarity, listed, ratings.itemCount, settings.neighbours),
        itemBias: Float32Array.from(averages.item, (average) => average - averages.global),
        offset: averages.global,
        userShrinkage: settings.userShrinkage,
      },
    };
  },
});

function planCovariance(settings: Settings, itemCount: number): PlannedRelease[] {
  const share = factorShare(settings);
  const sensitivity = covarianceSensitivity(settings.unit, Math.min(itemCount, settings.itemLimit));
  const mechanism = { kind: 'laplace' } as const;
  if (settings.unit === 'rating-value')
    return [{ name: 'covariance', mechanism, sensitivity, count: 1, share }];
  return [
    { name: 'covariance', mechanism, sensitivity, count: 1, share: share / 2 },
    { name: 'mass', mechanism, sensitivity, count: 1, share: share / 2 },
  ];
}

/** Indices of the `size` items with the largest counts that the unit allows to know, ascending. */
function mostRated(counts: Float64Array, size: number): Uint32Array {
  const ranked = Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || a - b);
  return Uint32Array.from(ranked.slice(0, size)).sort();
}

/** Ratings of the listed items, renumbered, with residuals in units of B. */
function restrict(ratings: RatingMatrix, averages: Averages, listed: Uint32Array, bound: number) {
  const { byUser } = ratings;
  const units = clampedResiduals(ratings, averages, bound);
  const place = new Int32Array(ratings.itemCount).fill(-1);
  listed.forEach((item, at) => {
    place[item] = at;
  });
  const offsets = new Uint32Array(byUser.rowCount + 1);
  const indices = new Uint32Array(byUser.indices.length);
  const residuals = new Float64Array(byUser.indices.length);
  let length = 0;
  for (let i = 0; i < byUser.rowCount; i++) {
    for (let at = byUser.offsets[i]; at < byUser.offsets[i + 1]; at++) {
      const to = place[byUser.indices[at]];
      if (to < 0) continue;
      indices[length] = to;
      residuals[length++] = (units[at] * gridStep) / bound;
    }
    offsets[i + 1] = length;
  }
  const rows: Csr = {
    rowCount: byUser.rowCount,
    columnCount: listed.length,
    offsets,
    indices: indices.subarray(0, length),
    values: new Float32Array(0),
  };
  return { rows, residuals };
}

/** One part per row of the triangle; together they are one release. */
async function releaseTriangle(
  recorder: ReleaseRecorder,
  name: string,
  units: Float64Array,
  size: number,
  unit: Settings['unit'],
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  const release = recorder.begin(name);
  const sensitivity = covarianceSensitivity(unit, size);
  const noisy = new Float64Array(units.length);
  for (let a = 0; a < size; a++) {
    if (a % 256 === 0) await letInterruptionsIn(signal);
    const from = triangleRow(a, size) + a;
    const row = units.subarray(from, from + size - a);
    noisy.set(await release.add(a, sensitive(row, 'l1', sensitivity), covarianceStep), from);
  }
  release.close();
  return noisy;
}

/**
 * Correlations from shrunk covariances, as a full matrix; 0 where a variance is not positive.
 * Post-processing.
 */
function similarities(
  covariance: Float64Array,
  mass: Float64Array,
  size: number,
  shrinkage: number,
): Float32Array {
  let covarianceTotal = 0;
  let massTotal = 0;
  for (let at = 0; at < covariance.length; at++) {
    covarianceTotal += covariance[at];
    massTotal += mass[at];
  }
  const average = massTotal > 0 ? covarianceTotal / massTotal : 0;
  const shrunk = (at: number) =>
    (covariance[at] + shrinkage * average) / (Math.max(mass[at], 0) + shrinkage + Number.MIN_VALUE);
  const deviation = new Float64Array(size);
  for (let a = 0; a < size; a++) deviation[a] = Math.sqrt(Math.max(0, shrunk(triangleRow(a, size) + a)));
  const similarity = new Float32Array(size * size);
  for (let a = 0; a < size; a++) {
    for (let c = a + 1; c < size; c++) {
      const scale = deviation[a] * deviation[c];
      if (scale <= 0) continue;
      const value = Math.max(-1, Math.min(1, shrunk(triangleRow(a, size) + c) / scale));
      similarity[a * size + c] = value;
      similarity[c * size + a] = value;
    }
  }
  return similarity;
}
