// The kernels at one rank. A case: `job(engine)` runs it; `scalarJob` runs `scalarShare` of it, enough to
// time the reference; `peer` names an operation of the peers, with `more` of its arguments; `result(engine)`,
// where there is one, gives what is compared with theirs.
import { randomFactors, zeroFactors } from '@hushrec/numerics';
import { uniform } from './synthetic-ratings.mjs';

export async function* kernelCases(data, d, { scalar, peers }) {
  yield* userSteps(data, d, { gramian: await scalar.gramian(data.byRank[d].fixed), peers });
  yield itemStatistics(data, d);
  yield psdAndSolve(data.byRank[d], d, peers);
  yield* scoring(data.byRank[d], peers);
  yield* products(data, d);
}

function* userSteps({ users, usual, dense, few, byRank }, d, { gramian, peers }) {
  const { fixed } = byRank[d];
  const out = zeroFactors(users, d);
  const base = { fixed, ridge: 0.1 };
  const unobserved = { unobservedWeight: 1, gramian };
  const step = (job) => (engine) => engine.solveRows({ ...base, ...job, out });
  const ofFew = (job) => ({
    scalarJob: (engine) => engine.solveRows({ ...base, rows: few, ...job, out: zeroFactors(60, d) }),
    scalarShare: few.indices.length / usual.rows.indices.length,
  });
  const solved = (job) => async (engine) => {
    const result = zeroFactors(job.rows.rowCount, d);
    await engine.solveRows({ ...base, ...job, out: result });
    return result.data;
  };
  const onUsual = { more: { set: 'usual' } };
  const compiled = peers?.about.compiler ? 'userStep' : undefined;
  const implicit = (operation) => (peers?.about.implicit ? operation : undefined);
  yield {
    kernel: 'user step',
    job: step(usual),
    ...ofFew({}),
    ...onUsual,
    peer: compiled,
    result: solved(usual),
  };
  yield {
    kernel: 'user step, 600 a row',
    job: step(dense),
    more: { set: 'dense' },
    peer: compiled,
    result: solved(dense),
  };
  // implicit's confidence c is our weight + 1, and its right-hand side has c where ours has weight · target.
  const targets = usual.weights.map((weight) => (weight + 1) / weight);
  yield {
    kernel: 'user step, unobserved',
    job: step({ ...usual, ...unobserved }),
    ...ofFew(unobserved),
    ...onUsual,
    peer: implicit('implicitCholesky'),
    result: solved({ ...usual, targets, ...unobserved }),
  };
  const steps = { ...unobserved, solver: 'cg' };
  yield {
    kernel: 'conjugate gradients',
    job: step({ ...usual, ...steps }),
    ...ofFew(steps),
    ...onUsual,
    peer: implicit('implicitCg'),
    result: solved({ ...usual, targets, ...steps }),
  };
}

function itemStatistics({ users, byItem }, d) {
  const statistics = {
    byItem,
    users: randomFactors(users, d, 0.5 / Math.sqrt(d), uniform(9)),
    vectorBound: 2,
    targetBound: 5,
    vectorBits: 15,
    targetBits: 15,
    matrices: true,
    begin: 0,
  };
  return {
    kernel: 'item statistics',
    job: (engine) => engine.itemStatistics({ ...statistics, end: 1000 }),
    scalarJob: (engine) => engine.itemStatistics({ ...statistics, begin: 500, end: 540 }),
    scalarShare: (byItem.offsets[540] - byItem.offsets[500]) / byItem.offsets[1000],
  };
}

function psdAndSolve({ count, matrices }, d, peers) {
  const psd = {
    width: d,
    vectors: new Float64Array(count * d).fill(1),
    ridge: new Float64Array(count).fill(1),
    out: zeroFactors(count, d),
    begin: 0,
  };
  return {
    kernel: `PSD and solve (${count})`,
    job: (engine) => engine.solvePsd({ ...psd, matrices, count }),
    scalarJob: (engine) => engine.solvePsd({ ...psd, matrices, count: 4 }),
    scalarShare: 4 / count,
    peer: peers && 'eigen',
    async result(engine) {
      const out = zeroFactors(count, d);
      const own = { ...psd, matrices: matrices.slice(), vectors: psd.vectors.slice(), out };
      await engine.solvePsd({ ...own, count });
      return out.data;
    },
  };
}

function* scoring({ fixed, scored }, peers) {
  const score = { items: fixed, k: 20 };
  for (const count of [257, 1024]) {
    const rows = { ...scored, rowCount: count };
    yield {
      kernel: `score ${count} × 10,000, top 20`,
      job: (engine) => engine.topK({ ...score, rows }),
      scalarJob: (engine) => engine.topK({ ...score, rows: { ...scored, rowCount: 8 } }),
      scalarShare: 8 / count,
      peer: peers && 'scoring',
      more: { rows: count },
      result: async (engine) => (await engine.topK({ ...score, rows })).scores,
    };
  }
}

function* products({ users, items, usual, few, byRank }, d) {
  const { fixed } = byRank[d];
  const summed = zeroFactors(users, d);
  yield {
    kernel: 'feature bags',
    job: (engine) => engine.sumBags({ bags: usual.rows, table: fixed, out: summed }),
    scalarJob: (engine) => engine.sumBags({ bags: few, table: fixed, out: zeroFactors(60, d) }),
    scalarShare: few.indices.length / usual.rows.indices.length,
  };
  yield {
    kernel: 'gramian',
    job: (engine) => engine.gramian(fixed),
    scalarJob: (engine) => engine.gramian({ ...fixed, rowCount: 500 }),
    scalarShare: 500 / items,
  };
}
