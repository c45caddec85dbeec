import { createEngine } from '@hushrec/numerics';
import { kernelCases } from './kernel-cases.mjs';
import { kernelData, loadIntoPeers, widths } from './kernel-data.mjs';
import { byTurns, printTable } from './measure.mjs';

/** What an operation of the peers runs on. */
const peerNames = {
  userStep: 'OpenBLAS',
  implicitCholesky: 'implicit',
  implicitCg: 'implicit',
  eigen: 'LAPACK dsyevd',
  scoring: 'OpenBLAS sgemm',
};

/**
 * Every kernel (or those whose name contains `only`) in one thread against the scalar reference and, where
 * installed, OpenBLAS and implicit.
 */
export async function benchmarkKernels({ peers, rounds, builds, only = '' }) {
  const data = kernelData();
  if (peers !== undefined) await loadIntoPeers(peers, data);
  const engines = {};
  for (const build of builds) engines[build] = await createEngine({ kernel: build, threads: 1 });
  const scalar = await createEngine({ kernel: 'scalar', threads: 1 });
  const results = [];
  for (const d of widths)
    for await (const each of kernelCases(data, d, { scalar, peers }))
      if (each.kernel.includes(only))
        results.push(await timeKernel(each, d, { engines, scalar, peers, rounds }));
  for (const engine of [...Object.values(engines), scalar]) await engine.close();
  const { users, usual } = data;
  printTable(
    `One thread, ${users} users, ${usual.rows.indices.length} ratings; milliseconds of processor time, least of ${rounds} rounds. Ratio: time / peer (below 1 is faster).`,
    results.map((result) => tableRow(result, builds)),
  );
  return results;
}

/** Times of one kernel by build, of its peer and of the reference; stops where results differ. */
async function timeKernel(
  { kernel, job, scalarJob, scalarShare, peer, more = {}, result },
  d,
  { engines, scalar, peers, rounds },
) {
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
  return { kernel, d, ...best, scalar: reference && reference.scalar / scalarShare, difference };
}

function tableRow(result, builds) {
  const peer = Object.keys(peerNames).find((name) => result[name] !== undefined);
  const row = { kernel: result.kernel, d: result.d, 'scalar (scaled up)': result.scalar };
  for (const build of builds) row[build] = result[build];
  for (const build of builds) row[`${build} speed-up`] = result.scalar && result.scalar / result[build];
  row.peer = peerNames[peer];
  row['peer ms'] = result[peer];
  for (const build of builds) row[`${build} ratio`] = peer && result[build] / result[peer];
  row['results differ by'] = result.difference;
  return row;
}
