import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trainModel } from '@hushrec/factorize';
import { createEngine, sharedFloat32, sharedUint32 } from '@hushrec/numerics';
import type { TrainOnce, TrainOnceResult } from './train-in-fresh-process.js';

/**
 * One training in a process of its own: `node train-once.js <folder> <request as JSON>`. Reads what
 * `trainInFreshProcess` wrote straight into typed arrays, so that nothing but the training can raise the
 * high-water mark of memory, and prints it.
 */
const [folder, argument] = process.argv.slice(2) as [string, string];
const { method, settings, epsilon, userCount, itemCount, ratingCount, scale } = JSON.parse(
  argument,
) as TrainOnce;

const into = async <A extends Uint32Array | Float32Array>(name: string, array: A): Promise<A> => {
  new Uint8Array(array.buffer).set(await readFile(join(folder, name)));
  return array;
};
const offsets = await into('offsets', sharedUint32(userCount + 1));
const indices = await into('indices', sharedUint32(ratingCount));
const values = await into('values', sharedFloat32(ratingCount));
const byUser = { rowCount: userCount, columnCount: itemCount, offsets, indices, values };
const ratings = { userCount, itemCount, scale, byUser };
const engine = await createEngine({ threads: 1 });
const before = await highWater();
await trainModel({
  method,
  settings,
  ratings,
  engine,
  epsilon: epsilon ?? Infinity,
  delta: epsilon === null ? 0 : 1e-5,
  declaredPeople: userCount,
});
const result: TrainOnceResult = { before, peak: await highWater() };
process.stdout.write(JSON.stringify(result));
await engine.close();

/**
 * Bytes. Linux counts the parent's memory in `maxRSS` of a fresh child, so its own record is read where there
 * is one.
 */
async function highWater(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return 1024 * Number(kilobytes ?? process.resourceUsage().maxRSS);
}
