import { readFileSync } from 'node:fs';
import { processorTime } from '../measure.mjs';

/** What work cost, in milliseconds, by whom. */
const kinds = ['workers', 'executors', 'server', 'wall'];
/** Sums of costs, kind by kind. */
export const added = (a, b) => Object.fromEntries(kinds.map((kind) => [kind, a[kind] + b[kind]]));
export const summed = (sums) => [...sums.values()].reduce(added);

/**
 * Processor time, in milliseconds, of the cluster's processes while something is done. Node workers are
 * children of executors, which have waited for them.
 */
export async function measuredOnCluster(cluster, work) {
  const [before, started] = [clusterTime(cluster), performance.now()];
  const value = await work();
  const wall = performance.now() - started;
  const after = clusterTime(cluster);
  const { workers, executors, server } = Object.fromEntries(
    Object.keys(after).map((kind) => [kind, after[kind] - before[kind]]),
  );
  return { value, workers, executors, server, wall };
}

function clusterTime(cluster) {
  const times = { workers: 0, executors: 0, server: 0 };
  for (const id of cluster.processes('CoarseGrainedExecutorBackend')) {
    const { own, children } = processTime(id);
    times.executors += own;
    times.workers += children;
  }
  for (const id of cluster.processes('SparkConnectServer')) times.server += processTime(id).own;
  return times;
}

/** From /proc, where time is in hundredths of a second. */
function processTime(id) {
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return {
    own: 10 * (Number(fields[11]) + Number(fields[12])),
    children: 10 * (Number(fields[13]) + Number(fields[14])),
  };
}

/** The same of what is done in this process. */
export async function measuredHere(work) {
  const [before, started] = [processorTime(), performance.now()];
  const value = await work();
  return {
    value,
    workers: processorTime() - before,
    executors: 0,
    server: 0,
    wall: performance.now() - started,
  };
}
