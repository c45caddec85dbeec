import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { WorkerPool, WorkerPoolError } from './worker-pool.js';

/** A module of tasks that needs no file. */
const tasks = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
const module = tasks(`
  export const double = (x, thread) => ({ twice: 2 * x, thread });
  export const increment = (shared) => Atomics.add(shared, 0, 1);
  export const fail = () => { throw new RangeError('as asked'); };
  export const die = () => process.exit(3);
  export const wait = () => new Promise(() => {});
`);

describe('a pool of threads', () => {
  const pools: WorkerPool[] = [];
  const open = (size: number) => {
    const pool = new WorkerPool(size);
    pools.push(pool);
    return pool;
  };
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  it('runs tasks of any module by URL and export name', async () => {
    const pool = open(2);
    const results = await Promise.all([3, 4].map((x) => pool.run({ module, exportName: 'double' }, x)));
    expect(results).toEqual([
      { twice: 6, thread: 0 },
      { twice: 8, thread: 1 },
    ]);
  });

  it('shares arrays instead of copying them', async () => {
    const pool = open(3);
    const shared = new Int32Array(new SharedArrayBuffer(4));
    await pool.runOnEach({ module, exportName: 'increment' }, shared);
    expect(shared[0]).toBe(3);
  });

  it('passes errors on and goes on working', async () => {
    const pool = open(2);
    await expect(pool.run({ module, exportName: 'fail' }, 0)).rejects.toThrow('as asked');
    await expect(pool.run({ module, exportName: 'absent' }, 0)).rejects.toThrow(/no function "absent"/);
    expect(await pool.run({ module, exportName: 'double' }, 1)).toMatchObject({ twice: 2 });
  });

  it('fails every open and every later call when a thread dies', async () => {
    const pool = open(2);
    const waiting = pool.run({ module, exportName: 'wait' }, 0);
    const dying = pool.run({ module, exportName: 'die' }, 0);
    await expect(dying).rejects.toMatchObject({ name: 'WorkerPoolError', reason: 'thread-died' });
    await expect(waiting).rejects.toThrow(/stopped working/);
    await expect(pool.run({ module, exportName: 'double' }, 1)).rejects.toThrow(WorkerPoolError);
  });

  it('keeps the process until its threads have ended, where somebody waits for that', () => {
    const program = `
      const { WorkerPool } = await import('${new URL('../../dist/threads/worker-pool.js', import.meta.url).href}');
      const pool = new WorkerPool(2);
      const waiting = pool.runOnEach({ module: ${JSON.stringify(module)}, exportName: 'wait' }, 0);
      const failed = waiting.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 200));
      await pool.close();
      await failed;
      console.log('closed');`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect([stdout.trim(), status]).toEqual(['closed', 0]);
  });

  it('fails open calls when it is closed', async () => {
    const pool = open(1);
    const waiting = pool.run({ module, exportName: 'wait' }, 0);
    const outcome = expect(waiting).rejects.toMatchObject({ reason: 'closed' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await pool.close();
    await outcome;
  });
});
