/** How long a worker waits for something to read or for someone to read from it. */
const SILENCE = 10 * 60_000;
const LOOK_EVERY = 1000;

/**
 * Ends this process when it is of no use any more. Spark does not kill the children of a task that failed or
 * was cancelled, so they must notice by themselves: the executor died (then this process has another parent),
 * or nothing was read or written for ten minutes. A closed pipe is noticed where it is written to.
 *
 * @returns to be called whenever something was read or written
 */
export function watchLife(end: (why: string) => never, silence = SILENCE): () => void {
  const parent = process.ppid;
  let last = Date.now();
  const timer = setInterval(() => {
    if (process.ppid !== parent) end('the executor is gone');
    if (Date.now() - last > silence) end('nothing was read or written for too long');
  }, LOOK_EVERY);
  timer.unref();
  return () => {
    last = Date.now();
  };
}
