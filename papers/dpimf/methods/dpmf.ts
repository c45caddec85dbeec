import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { defineMethod, initialStdDev } from '@hushrec/factorize';
import { type Csr, reorder, transposeWithOrder } from '@hushrec/numerics';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import { claim } from '../../friedman/methods/claims.js';
import { cutRows, cutTargets } from '../../friedman/methods/exact-products.js';
import { gaussianRows, projectRows } from '../../friedman/methods/factor-rows.js';
import { boundedVectorSchema } from '../../friedman/methods/factor-settings.js';
import { boundedRating } from '../../friedman/methods/protected-rating.js';
import { rowNames } from '../../friedman/methods/published-averages.js';
import { RowEquations } from '../../friedman/methods/ridge-rows.js';
import { gridFor, releaseRows } from '../../friedman/methods/vector-release.js';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';

const schema = {
  ...boundedVectorSchema,
  userNorm: { ...boundedVectorSchema.userNorm, default: 1 },
  itemNorm: { ...boundedVectorSchema.itemNorm, default: 1 },
  rounds: { ...boundedVectorSchema.rounds, default: 3 },
  repaired: {
    type: 'boolean',
    default: true,
    description:
      'true: both sides noised in every round. false: users fitted on raw ratings, items noised once.',
  },
  rank: { type: 'integer', default: 5, min: 1, max: 256, description: 'd: length of a factor vector.' },
  ridge: { type: 'number', default: 0.05, min: 1e-6, max: 100, description: 'λ: ridge per rating.' },
  initialStdDev: { ...initialStdDev, default: 0.3 },
} as const satisfies SettingsSchema;

type Settings = SettingsOf<typeof schema>;

const userVectorsAreData =
  'the proof holds user vectors fixed, but they are fitted on the protected ratings: one changed value moves the vector of ' +
  'its user and through it every item that user rated';

/**
 * Objective perturbation for explicit ratings: Hua, Xia, Zhong 2015 (DPMF).
 *
 *   v_j = argmin Σ_i (y − u_i·v)² + n_j λ‖v‖² + xᵀv,   x K-norm noise of scale 2Γ_uΔr/ε
 *
 * which is ridge regression with right side b − x/2, so b = Σ y u is released with K-norm noise for Γ_uΔr:
 * changing one value by at most Δr moves b by at most Δr·Γ_u, and who rated what is public. Ratings are
 * centred on the middle of the scale.
 *
 * Repaired: both sides are solved that way in alternation, each from released vectors of the other: a changed
 * value moves one user sum and one item sum a round. As published: user vectors come from the raw ratings,
 * and nothing is proved.
 */
export const dpmf = defineMethod({
  id: 'dpmf',
  title: 'Matrix factorization with a perturbed objective',
  paper: 'Hua, Xia, Zhong 2015',
  feedback: ['explicit'],
  protects: [{ unit: 'rating-value', relation: 'replace' }],
  settings: schema,
  needs: 'ratings',
  plan(settings, shape) {
    const range = shape.scale.max - shape.scale.min;
    const { repaired, rounds, userNorm, itemNorm, rank } = settings;
    const line = (name: string, norm: number, count: number, share: number): PlannedRelease => ({
      name,
      mechanism: { kind: 'k-norm', dimension: rank },
      sensitivity: gridFor(range * norm, rank).declared,
      count,
      share,
      ...(repaired ? {} : { proved: { nothingBecause: userVectorsAreData } }),
    });
    return {
      unit: 'rating-value',
      relation: 'replace',
      released: repaired ? 'item and user vectors' : 'item vectors',
      releases: repaired
        ? [line('user-sums', itemNorm, rounds, 0.5), line('item-sums', userNorm, rounds, 0.5)]
        : [line('item-sums', userNorm, 1, 1)],
      ...(repaired ? {} : claim(shape, userVectorsAreData)),
    };
  },
  async train({ ratings, settings, recorder, random, progress, signal }) {
    const { rank: width, rounds, userNorm, itemNorm, repaired } = settings;
    const { byUser, scale } = ratings;
    const offset = (scale.min + scale.max) / 2;
    const range = scale.max - scale.min;
    const centred = Float64Array.from(byUser.values, (rating) => boundedRating(rating, scale) - offset);
    const targets = cutTargets(centred, range / 2);
    const { csr: byItem, order } = transposeWithOrder(byUser);
    const itemTargets = reorder(targets, order);
    const users = new Float64Array(ratings.userCount * width);
    const items = gaussianRows(ratings.itemCount, width, settings.initialStdDev, random);
    projectRows(items, width, itemNorm);
    for (let round = 0; round < rounds; round++) {
      await letInterruptionsIn(signal);
      const last = round === rounds - 1;
      await solveSide(
        byUser,
        targets,
        items,
        itemNorm,
        users,
        settings,
        repaired ? noised(recorder, 'user-sums', itemNorm * range) : exact,
      );
      projectRows(users, width, userNorm);
      const release = repaired || last ? noised(recorder, 'item-sums', userNorm * range) : exact;
      await solveSide(byItem, itemTargets, users, userNorm, items, settings, release);
      if (repaired || !last) projectRows(items, width, itemNorm);
      progress?.({ stage: 'rounds', done: round + 1, total: rounds });
    }
    return {
      model: {
        kind: 'factors',
        feedback: 'explicit',
        rank: width,
        itemFactors: Float32Array.from(items),
        offset,
        foldIn: { ridge: settings.ridge, ridgeExponent: 1, unobservedWeight: 0 },
        ...(repaired
          ? { users: { ids: rowNames(ratings.userCount), factors: Float32Array.from(users) } }
          : {}),
      },
    };
  },
});

type SumRelease = (sums: Float64Array, width: number) => Promise<void>;

const exact: SumRelease = async () => undefined;

function noised(recorder: ReleaseRecorder, name: string, sensitivity: number): SumRelease {
  return async (sums, width) => {
    const release = recorder.begin(name);
    await releaseRows(release, sums, width, sensitivity);
    release.close();
  };
}

/**
 * Sums b = Σ y x, exact for cut y and x, their release, then (Σxxᵀ + nλI)⁻¹b per row; the matrix is public
 * given x and who rated what. O(ratings · d²).
 */
async function solveSide(
  rows: Csr,
  targets: Float32Array,
  fixed: Float64Array,
  fixedNorm: number,
  out: Float64Array,
  settings: Settings,
  release: SumRelease,
): Promise<void> {
  const width = settings.rank;
  const equations = new RowEquations(width);
  const count = (row: number) => rows.offsets[row + 1] - rows.offsets[row];
  const cut = cutRows(fixed, fixedNorm, rows.columnCount);
  const sums = new Float64Array(rows.rowCount * width);
  for (let row = 0; row < rows.rowCount; row++) {
    const end = rows.offsets[row + 1];
    for (let at = rows.offsets[row]; at < end; at++) {
      const x = rows.indices[at] * width;
      for (let c = 0; c < width; c++) sums[row * width + c] += targets[at] * cut[x + c];
    }
  }
  await release(sums, width);
  for (let row = 0; row < rows.rowCount; row++) {
    if (count(row) === 0) {
      out.fill(0, row * width, (row + 1) * width);
      continue;
    }
    equations.accumulate(rows, row, targets, fixed, count(row) * settings.ridge);
    equations.vector.set(sums.subarray(row * width, (row + 1) * width));
    equations.solve(out, row * width);
  }
}
