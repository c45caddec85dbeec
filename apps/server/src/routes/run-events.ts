import { z } from '@hono/zod-openapi';
import { type EventStream, eventStreamResponse } from '../event-stream.js';
import { ProblemError } from '../problem.js';
import { StreamPlaces } from '../protection/stream-places.js';
import type { App, ServerContext } from '../server-context.js';
import { hasEnded, type Run } from '../state/run.js';
import { problem } from './responses.js';
import { findRun, shownRun } from './run-shown.js';

const events = {
  method: 'get',
  path: '/api/runs/{run}/events',
  summary: 'The run now and on every change until it has ended, as server-sent events named "run"',
  request: { params: z.object({ run: z.uuid() }) },
  responses: {
    200: {
      description: 'A stream of runs as JSON.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    404: problem('There is no such run.'),
  },
} as const;
/** A line now and then, so that a quiet connection is not taken for a dead one. */
const quietMs = 15_000;

export function runEventRoute(app: App, context: ServerContext): void {
  app.openAPIRegistry.registerPath(events);
  const { limits, closing, jobs } = context;
  const places = new StreamPlaces(limits.streams);
  app.get('/api/runs/:run/events', async (c) => {
    const id = c.req.param('run');
    await findRun(context, id);
    const ending = new AbortController();
    const leave = places.take(c.get('caller'), c.get('role') ?? 'viewer', () => ending.abort());
    if (leave === undefined) {
      throw new ProblemError(
        429,
        'Too many event streams.',
        'Close some, or ask GET /api/runs/{run} now and then.',
      );
    }
    const followed = {
      read: () => findRun(context, id),
      watch: (listener: (run: Run) => void) => jobs?.watch(id, listener) ?? (() => {}),
      inWords: (run: Run) => JSON.stringify(shownRun(c, run)),
    };
    return eventStreamResponse(c.env, (stream) =>
      tellRun(stream, followed, [closing, ending.signal]).finally(leave),
    );
  });
}

/** A run that somebody follows. */
export interface FollowedRun {
  read(): Promise<Run>;
  /** Calls back on every change until the returned function is called. */
  watch(listener: (run: Run) => void): () => void;
  inWords(run: Run): string;
}

/**
 * Sends the run as it is now, then on every change, until it has ended, the reader has gone or one of `ends`
 * is aborted. Only the newest state waits for a slow reader, and one that takes nothing in time is let go, so
 * a stream holds a few kilobytes at most.
 */
export async function tellRun(
  stream: EventStream,
  followed: FollowedRun,
  ends: readonly AbortSignal[],
): Promise<void> {
  /** The newest state that was not sent yet. */
  let pending: Run | undefined;
  let wake = () => {};
  const wakeUp = () => wake();
  const unwatch = followed.watch((run) => {
    pending = run;
    wake();
  });
  const signals = [stream.gone, ...ends];
  for (const signal of signals) signal.addEventListener('abort', wakeUp);
  try {
    // Read only now that changes are watched: a run that ends in between would never be told of.
    const now = await followed.read();
    pending ??= now;
    while (!signals.some(({ aborted }) => aborted)) {
      const run: Run | undefined = pending;
      pending = undefined;
      if (run !== undefined) {
        if (!(await stream.send('run', followed.inWords(run))) || hasEnded(run)) break;
        continue;
      }
      const isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), quietMs);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (isQuiet && !(await stream.keepAlive())) break;
    }
  } finally {
    unwatch();
    for (const signal of signals) signal.removeEventListener('abort', wakeUp);
  }
}
