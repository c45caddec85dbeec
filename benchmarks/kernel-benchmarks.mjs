import {
  createEngine,
  packedLength,
  randomFactors,
  transpose,
  unpackSymmetric,
  zeroFactors,
} from '@hushrec/numerics';
import { byTurns, printTable } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

const widths = [32, 64, 128];

/** Low-rank Gram matrices plus symmetric noise that makes about half of each spectrum negative. */
export function noisyMatrices(d, count, seed) {
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

/**
 * Every kernel (or those whose name contains `only`) in one thread against the scalar reference and, where
 * installed, OpenBLAS and implicit.
 */
export async function benchmarkKernels({ peers, rounds, builds, only = '' }) {
  const users = 2000;
  const items = 10_000;
  const rows = syntheticRatings({ users, items, ratings: 150 * users, seed: 2 });
  const entries = rows.indices.length;
  const dense = syntheticRatings({ users: 500, items, ratings: 300_000, seed: 4, spread: 0.05 });
  const random = uniform(3);
  const weightsOf = ({ indices }) =>
    new Float32Array(new SharedArrayBuffer(4 * indices.length)).map(() => 0.5 + 2 * random());
  const weights = weightsOf(rows);
  const denseWeights = weightsOf(dense);
  const byItem = transpose(rows);
  const engines = {};
  for (const build of builds) engines[build] = await createEngine({ kernel: build, threads: 1 });
  const scalar = await createEngine({ kernel: 'scalar', threads: 1 });
  const data = Object.fromEntries(
    widths.map((d) => {
      const fixed = randomFactors(items, d, 1 / Math.sqrt(d), uniform(d));
      const scored = randomFactors(1024, d, 1, uniform(d + 1));
      const count = d === 128 ? 24 : 64;
      return [d, { fixed, scored, count, matrices: noisyMatrices(d, count, d) }];
    }),
  );
  if (peers !== undefined) {
    const files = {};
    for (const [name, csr, own] of [
      ['usual', rows, weights],
      ['dense', dense, denseWeights],
    ]) {
      files[`${name}-offsets.u32`] = csr.offsets;
      files[`${name}-indices.u32`] = csr.indices;
      files[`${name}-values.f32`] = csr.values;
      files[`${name}-weights.f32`] = own;
    }
    for (const d of widths) {
      const { fixed, scored, count, matrices } = data[d];
      const full = new Float64Array(count * d * d);
      for (let k = 0; k < count; k++) full.set(unpackSymmetric(matrices, d, k * packedLength(d)), k * d * d);
      Object.assign(files, {
        [`fixed-${d}.f32`]: fixed.data,
        [`rows-${d}.f32`]: scored.data,
        [`psd-${d}.f64`]: full,
      });
    }
    await peers.load(files, { widths, items, sets: ['usual', 'dense'] });
  }
  const results = [];
  /**
   * One kernel at one width: `job(engine)` runs it; `share` of the work is enough to time the reference.
   * `peer` names an operation of the peers; `result(engine)`, where there is one, gives what is compared with
   * theirs.
   */
  const run = async (kernel, d, job, { scalarJob, scalarShare, peer, more = {}, result }) => {
    if (!kernel.includes(only)) return;
    const cases = Object.fromEntries(
      Object.entries(engines).map(([build, engine]) => [build, () => job(engine)]),
    );
    const others = peer === undefined ? {} : { [peer]: () => peers.time(peer, { d, ...more }) };
    const best = await byTurns({ ...cases, ...others }, rounds);
    const reference = scalarJob && (await byTurns({ scalar: () => scalarJob(scalar) }, 1));
    let difference;
    if (peer !== undefined && result !== undefined) {
      difference = 0;
      for (const engine of Object.values(engines))
        difference = Math.max(difference, await peers.difference(peer, { d, ...more }, await result(engine)));
      if (!(difference < 1e-3))
        throw new Error(`${kernel}, d = ${d}: our result and that of ${peer} differ by ${difference}.`);
    }
    results.push({ kernel, d, ...best, scalar: reference && reference.scalar / scalarShare, difference });
  };
  for (const d of widths) {
    const { fixed, scored, count, matrices } = data[d];
    const out = zeroFactors(users, d);
    const few = syntheticRatings({ users: 60, items, ratings: 9000, seed: 2 });
    const fewShare = few.indices.length / entries;
    const usual = { more: { set: 'usual' } };
    const solved = (job) => async (engine) => {
      const { rowCount } = job.rows;
      const result = zeroFactors(rowCount, d);
      await engine.solveRows({ ...job, fixed, ridge: 0.1, out: result });
      return result.data;
    };
    const compiled = peers?.about.compiler ? 'userStep' : undefined;
    await run('user step', d, (engine) => engine.solveRows({ rows, fixed, weights, ridge: 0.1, out }), {
      scalarJob: (engine) => engine.solveRows({ rows: few, fixed, ridge: 0.1, out: zeroFactors(60, d) }),
      scalarShare: fewShare,
      ...usual,
      peer: compiled,
      result: solved({ rows, weights }),
    });
    await run(
      'user step, 600 a row',
      d,
      (engine) => engine.solveRows({ rows: dense, fixed, weights: denseWeights, ridge: 0.1, out }),
      { more: { set: 'dense' }, peer: compiled, result: solved({ rows: dense, weights: denseWeights }) },
    );
    const gramian = await scalar.gramian(fixed);
    const unobserved = { unobservedWeight: 1, gramian };
    // implicit's confidence c is our weight + 1, and its right-hand side has c where ours has
    // weight · target.
    const targets = weights.map((weight) => (weight + 1) / weight);
    await run(
      'user step, unobserved',
      d,
      (engine) => engine.solveRows({ rows, fixed, weights, ridge: 0.1, out, ...unobserved }),
      {
        scalarJob: (engine) =>
          engine.solveRows({ rows: few, fixed, ridge: 0.1, out: zeroFactors(60, d), ...unobserved }),
        scalarShare: fewShare,
        ...usual,
        peer: peers?.about.implicit ? 'implicitCholesky' : undefined,
        result: solved({ rows, weights, targets, ...unobserved }),
      },
    );
    await run(
      'conjugate gradients',
      d,
      (engine) => engine.solveRows({ rows, fixed, weights, ridge: 0.1, out, ...unobserved, solver: 'cg' }),
      {
        scalarJob: (engine) =>
          engine.solveRows({
            rows: few,
            fixed,
            ridge: 0.1,
            out: zeroFactors(60, d),
            ...unobserved,
            solver: 'cg',
          }),
        scalarShare: fewShare,
        ...usual,
        peer: peers?.about.implicit ? 'implicitCg' : undefined,
        result: solved({ rows, weights, targets, ...unobserved, solver: 'cg' }),
      },
    );
    const people = randomFactors(users, d, 0.5 / Math.sqrt(d), uniform(9));
    const statistics = {
      byItem,
      users: people,
      vectorBound: 2,
      targetBound: 5,
      vectorBits: 15,
      targetBits: 15,
      matrices: true,
      begin: 0,
    };
    await run('item statistics', d, (engine) => engine.itemStatistics({ ...statistics, end: 1000 }), {
      scalarJob: (engine) => engine.itemStatistics({ ...statistics, begin: 500, end: 540 }),
      scalarShare: (byItem.offsets[540] - byItem.offsets[500]) / byItem.offsets[1000],
    });
    const psd = {
      width: d,
      vectors: new Float64Array(count * d).fill(1),
      ridge: new Float64Array(count).fill(1),
      out: zeroFactors(count, d),
      begin: 0,
    };
    await run(`PSD and solve (${count})`, d, (engine) => engine.solvePsd({ ...psd, matrices, count }), {
      scalarJob: (engine) => engine.solvePsd({ ...psd, matrices, count: 4 }),
      scalarShare: 4 / count,
      peer: peers && 'eigen',
      async result(engine) {
        const own = {
          ...psd,
          matrices: matrices.slice(),
          vectors: psd.vectors.slice(),
          out: zeroFactors(count, d),
        };
        await engine.solvePsd({ ...own, count });
        return own.out.data;
      },
    });
    for (const count of [257, 1024]) {
      const score = { items: fixed, k: 20 };
      const some = { ...scored, rowCount: count };
      await run(`score ${count} × 10,000, top 20`, d, (engine) => engine.topK({ ...score, rows: some }), {
        scalarJob: (engine) => engine.topK({ ...score, rows: { ...scored, rowCount: 8 } }),
        scalarShare: 8 / count,
        peer: peers && 'scoring',
        more: { rows: count },
        result: async (engine) => (await engine.topK({ ...score, rows: some })).scores,
      });
    }
    const summed = zeroFactors(users, d);
    await run('feature bags', d, (engine) => engine.sumBags({ bags: rows, table: fixed, out: summed }), {
      scalarJob: (engine) => engine.sumBags({ bags: few, table: fixed, out: zeroFactors(60, d) }),
      scalarShare: fewShare,
    });
    await run('gramian', d, (engine) => engine.gramian(fixed), {
      scalarJob: (engine) => engine.gramian({ ...fixed, rowCount: 500 }),
      scalarShare: 500 / items,
    });
  }
  for (const engine of [...Object.values(engines), scalar]) await engine.close();
  const peerNames = ['userStep', 'implicitCholesky', 'implicitCg', 'eigen', 'scoring'];
  const label = {
    userStep: 'OpenBLAS',
    implicitCholesky: 'implicit',
    implicitCg: 'implicit',
    eigen: 'LAPACK dsyevd',
    scoring: 'OpenBLAS sgemm',
  };
  printTable(
    `One thread, ${users} users, ${entries} ratings; milliseconds of processor time, least of ${rounds} rounds. Ratio: time / peer (below 1 is faster).`,
    results.map((result) => {
      const peer = peerNames.find((name) => result[name] !== undefined);
      const row = { kernel: result.kernel, d: result.d, 'scalar (scaled up)': result.scalar };
      for (const build of builds) row[build] = result[build];
      for (const build of builds) row[`${build} speed-up`] = result.scalar && result.scalar / result[build];
      row.peer = peer === undefined ? undefined : label[peer];
      row['peer ms'] = peer === undefined ? undefined : result[peer];
      for (const build of builds)
        row[`${build} ratio`] = peer === undefined ? undefined : result[build] / result[peer];
      row['results differ by'] = result.difference;
      return row;
    }),
  );
  return results;
}
