// What kernels are timed on: people of usual and of dense histories, vectors of items, noisy matrices.
import { packedLength, randomFactors, transpose, unpackSymmetric } from '@hushrec/numerics';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

export const widths = [32, 64, 128];
const users = 2000;
const items = 10_000;

/** Low-rank Gram matrices plus symmetric noise that makes about half of each spectrum negative. */
function noisyMatrices(d, count, seed) {
  const random = uniform(seed);
  const matrices = new Float64Array(count * packedLength(d));
  const factors = new Float64Array(20 * d);
  for (let k = 0, at = 0; k < count; k++) {
    for (let c = 0; c < factors.length; c++) factors[c] = random() - 0.5;
    for (let a = 0; a < d; a++) {
      for (let c = a; c < d; c++) {
        let sum = 2 * (random() - 0.5);
        for (let r = 0; r < 20; r++) sum += factors[r * d + a] * factors[r * d + c];
        matrices[at++] = sum;
      }
    }
  }
  return matrices;
}

/** Ratings with weights from 0.5 to 2.5, and by rank the vectors and matrices that go with them. */
export function kernelData() {
  const random = uniform(3);
  const weighted = (rows) => ({
    rows,
    weights: new Float32Array(new SharedArrayBuffer(4 * rows.indices.length)).map(() => 0.5 + 2 * random()),
  });
  const usual = weighted(syntheticRatings({ users, items, ratings: 150 * users, seed: 2 }));
  const dense = weighted(syntheticRatings({ users: 500, items, ratings: 300_000, seed: 4, spread: 0.05 }));
  const byRank = Object.fromEntries(
    widths.map((d) => {
      const count = d === 128 ? 24 : 64;
      return [
        d,
        {
          fixed: randomFactors(items, d, 1 / Math.sqrt(d), uniform(d)),
          scored: randomFactors(1024, d, 1, uniform(d + 1)),
          count,
          matrices: noisyMatrices(d, count, d),
        },
      ];
    }),
  );
  const few = syntheticRatings({ users: 60, items, ratings: 9000, seed: 2 });
  return { users, items, usual, dense, few, byItem: transpose(usual.rows), byRank };
}

/** The same for the peers. */
export async function loadIntoPeers(peers, { items, usual, dense, byRank }) {
  const files = {};
  for (const [name, { rows, weights }] of Object.entries({ usual, dense })) {
    files[`${name}-offsets.u32`] = rows.offsets;
    files[`${name}-indices.u32`] = rows.indices;
    files[`${name}-values.f32`] = rows.values;
    files[`${name}-weights.f32`] = weights;
  }
  for (const d of widths) {
    const { fixed, scored, count, matrices } = byRank[d];
    const full = new Float64Array(count * d * d);
    for (let k = 0; k < count; k++) full.set(unpackSymmetric(matrices, d, k * packedLength(d)), k * d * d);
    files[`fixed-${d}.f32`] = fixed.data;
    files[`rows-${d}.f32`] = scored.data;
    files[`psd-${d}.f64`] = full;
  }
  await peers.load(files, { widths, items, sets: ['usual', 'dense'] });
}
