/** One thread, seen from its owner: the same for Node's worker_threads and a browser's Web Workers. */
export interface WorkerPort {
  post(message: unknown): void;
  /** Called for every message; `died` once, when the thread ends or fails without having been asked to. */
  listen(message: (data: unknown) => void, died: (reason: string) => void): void;
  /** While busy a thread keeps the process alive; idle threads do not. */
  setBusy(busy: boolean): void;
  terminate(): Promise<void>;
}

/** Node, or something that behaves like it. */
export const runsInNode: boolean = typeof process === 'object' && typeof process.versions?.node === 'string';

/** Cores this process may use, 1 where the host does not say. */
export async function coreCount(): Promise<number> {
  if (runsInNode) return (await import('node:os')).availableParallelism();
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}

/** A thread that runs the module at `url`. */
export async function startWorker(url: URL): Promise<WorkerPort> {
  return runsInNode ? startNodeWorker(url) : startWebWorker(url);
}

async function startNodeWorker(url: URL): Promise<WorkerPort> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(url);
  worker.unref();
  let expected = false;
  return {
    post: (message) => worker.postMessage(message),
    listen(message, died) {
      worker.on('message', message);
      worker.on('error', (error) => died(error.message));
      worker.on('exit', (code) => {
        if (!expected) died(`it ended with code ${code}`);
      });
    },
    setBusy(busy) {
      if (expected) return;
      if (busy) worker.ref();
      else worker.unref();
    },
    async terminate() {
      expected = true;
      // Whoever waits for its end must not find that the process ended first.
      worker.ref();
      await worker.terminate();
    },
  };
}

function startWebWorker(url: URL): WorkerPort {
  const worker = new Worker(url, { type: 'module' });
  return {
    post: (message) => worker.postMessage(message),
    listen(message, died) {
      worker.onmessage = (event) => message(event.data);
      worker.onerror = (event) => died(event.message);
    },
    setBusy() {},
    async terminate() {
      worker.terminate();
    },
  };
}
