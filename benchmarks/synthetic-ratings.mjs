import { sharedFloat32, sharedUint32 } from '@hushrec/numerics';

/** Fixed generator (mulberry32), so that every run times the same data. */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Ratings with the skew of real catalogues: log-normal activity of people, power-law popularity of items
 * (item of rank r has weight (r + 10)^−0.9). `spread` is the standard deviation of log activity, `most` the
 * share of the items that one person may rate. About `ratings` pairs without repetition, ratings 0.5 … 5 in
 * halves. Returns sparse rows by user.
 */
export function syntheticRatings({ users, items, ratings, seed = 1, spread = 1, most = 1 / 3 }) {
  const random = uniform(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const activity = Float64Array.from({ length: users }, () => Math.exp(spread * normal()));
  const total = activity.reduce((sum, x) => sum + x, 0);
  const limit = Math.floor(items * most);
  const counts = activity.map((x) => Math.max(1, Math.min(limit, Math.round((x / total) * ratings))));
  const cumulative = new Float64Array(items);
  for (let item = 0, sum = 0; item < items; item++) {
    sum += (item + 10) ** -0.9;
    cumulative[item] = sum;
  }
  const guide = popularityGuide(cumulative);
  const offsets = sharedUint32(users + 1);
  for (let user = 0; user < users; user++) offsets[user + 1] = offsets[user] + counts[user];
  const indices = sharedUint32(offsets[users]);
  const values = sharedFloat32(offsets[users]);
  const taken = new Uint32Array(items).fill(0xffffffff);
  for (let user = 0; user < users; user++) {
    for (let k = offsets[user]; k < offsets[user + 1]; ) {
      const item = guide(random());
      if (taken[item] === user) continue;
      taken[item] = user;
      indices[k] = item;
      values[k] = Math.ceil(random() * 10) / 2;
      k++;
    }
    indices.subarray(offsets[user], offsets[user + 1]).sort();
  }
  return { rowCount: users, columnCount: items, offsets, indices, values };
}

/** Inverse of a cumulative weight by table look-up and a short walk. */
function popularityGuide(cumulative) {
  const buckets = 4 * cumulative.length;
  const total = cumulative[cumulative.length - 1];
  const first = new Uint32Array(buckets);
  for (let bucket = 0, item = 0; bucket < buckets; bucket++) {
    while (cumulative[item] < (bucket / buckets) * total) item++;
    first[bucket] = item;
  }
  return (u) => {
    let item = first[Math.floor(u * buckets)];
    while (cumulative[item] < u * total) item++;
    return item;
  };
}
