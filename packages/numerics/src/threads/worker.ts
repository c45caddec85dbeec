// The program of every thread: runs tasks (module and export) that its owner names, one after the other.
import { describeTaskError } from './task-error.js';
import type { TaskMessage, TaskReply } from './worker-pool.js';
import { runsInNode } from './worker-port.js';

type Task = (payload: unknown, thread: number) => unknown;

async function run({ id, module, exportName, payload, thread }: TaskMessage): Promise<TaskReply> {
  try {
    const loaded = (await import(module)) as Record<string, Task | undefined>;
    const task = loaded[exportName];
    if (typeof task !== 'function') throw new TypeError(`${module} has no function "${exportName}".`);
    return { id, result: await task(payload, thread) };
  } catch (error) {
    return { id, error: describeTaskError(error) };
  }
}

if (runsInNode) {
  const { parentPort } = await import('node:worker_threads');
  parentPort?.on('message', async (message: TaskMessage) => parentPort.postMessage(await run(message)));
} else {
  globalThis.onmessage = async (event: MessageEvent<TaskMessage>) => postMessage(await run(event.data));
}
