import { randomUUID } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { eventStreamResponse } from '../event-stream.js';
import type { JobRunner } from '../jobs/job-runner.js';
import { ProblemError } from '../problem.js';
import type { RateLimiter } from '../protection/rate-limit.js';
import { addressOf, requireOperator } from '../protection/require-role.js';
import { StreamPlaces } from '../protection/stream-places.js';
import type { App, AppEnvironment, ServerContext } from '../server-context.js';
import { hasEnded, type Run, type RunRequest } from '../state/run.js';
import { planOf } from './plans.js';
import { json, problem } from './responses.js';
import { runListSchema, runRequestSchema, runSchema } from './schemas.js';

const params = z.object({ run: z.uuid() });
const refusals = {
  403: problem('Not an operator.'),
  404: problem('There is no such run.'),
  409: problem('Not possible in the present state.'),
};
const list = createRoute({
  method: 'get',
  path: '/api/runs',
  summary: 'Training runs, newest first',
  request: { query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(50) }) },
  responses: { 200: json(runListSchema, 'The runs.') },
});
const one = createRoute({
  method: 'get',
  path: '/api/runs/{run}',
  summary: 'One run with its newest progress',
  request: { params },
  responses: { 200: json(runSchema, 'The run.'), 404: refusals[404] },
});
const start = createRoute({
  method: 'post',
  path: '/api/runs',
  summary: 'Start training in a process of its own',
  security: [{ token: [] }],
  request: { body: { required: true, content: { 'application/json': { schema: runRequestSchema } } } },
  responses: {
    201: json(runSchema, 'The run, queued.'),
    400: problem('Not possible with these settings.'),
    ...refusals,
  },
});
const stop = createRoute({
  method: 'post',
  path: '/api/runs/{run}/stop',
  summary: 'Stop a run; nothing half-written is left',
  security: [{ token: [] }],
  request: { params },
  responses: { 202: json(runSchema, 'The run, about to stop.'), ...refusals },
});
const resume = createRoute({
  method: 'post',
  path: '/api/runs/{run}/resume',
  summary: 'Go on with a run that was interrupted or stopped',
  security: [{ token: [] }],
  request: { params },
  responses: { 202: json(runSchema, 'The run, queued again.'), ...refusals },
});
const publish = createRoute({
  method: 'post',
  path: '/api/runs/{run}/publish',
  summary: 'Publish the model of a run that was held back because too few titles stand out',
  security: [{ token: [] }],
  request: { params },
  responses: { 200: json(runSchema, 'The run, published.'), ...refusals },
});

const events = {
  method: 'get',
  path: '/api/runs/{run}/events',
  summary: 'The run now and on every change until it has ended, as server-sent events named "run"',
  request: { params },
  responses: {
    200: {
      description: 'A stream of runs as JSON.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    404: refusals[404],
  },
} as const;

/** Training runs: start, watch, stop, resume. */
export function runRoutes(app: App, context: ServerContext, starts: RateLimiter): void {
  const { jobs, store } = context;
  app.openapi(list, async (c) => {
    const runs = await store.list(c.req.valid('query').limit);
    const current = await Promise.all(runs.map((run) => (hasEnded(run) ? run : jobs?.current(run.id))));
    return c.json({ runs: current.map((run, index) => shown(c, run ?? runs[index])) }, 200);
  });
  app.openapi(one, async (c) => c.json(shown(c, await find(context, c.req.valid('param').run)), 200));
  app.openapi(start, async (c) => {
    requireOperator(c);
    if (!starts.take(addressOf(c))) throw new ProblemError(429, 'Too many starts.', 'Wait a few seconds.');
    const request = c.req.valid('json') as RunRequest;
    const runner = requireJobs(jobs);
    const { budget, isUnprotected } = await planOf(context, requestWithoutModel(request));
    if (isUnprotected && request.recordUnprotected !== true) {
      throw new ProblemError(
        409,
        'The budget does not allow this run.',
        'It has no finite cost in the budget of these people. With `recordUnprotected` it is made all the same, and written down in the ledger.',
      );
    }
    if (
      !isUnprotected &&
      budget !== null &&
      budget.granted !== null &&
      !((budget.after ?? Infinity) <= budget.granted)
    ) {
      throw new ProblemError(
        409,
        'The budget does not allow this run.',
        `ε = ${budget.granted} was granted for all runs together; with this one it would be ${budget.after ?? 'infinite'}.`,
      );
    }
    if ((await context.models.get(request.model)) !== undefined || runner.isWriting(request.model)) {
      throw new ProblemError(409, 'This model name is taken.', 'Choose another name for the new model.');
    }
    const run = await runner.start(randomUUID(), request, c.get('name') ?? null);
    context.log('run-started', { run: run.id, method: request.method });
    return c.json(shown(c, run), 201);
  });
  app.openapi(stop, async (c) => {
    requireOperator(c);
    const run = await find(context, c.req.valid('param').run);
    if (!(await requireJobs(jobs).stop(run.id))) {
      throw new ProblemError(409, 'This run is not active.', `Its status is "${run.status}".`);
    }
    return c.json(shown(c, await find(context, run.id)), 202);
  });
  app.openapi(resume, async (c) => {
    requireOperator(c);
    const run = await find(context, c.req.valid('param').run);
    if (run.status !== 'interrupted' && run.status !== 'stopped') {
      throw new ProblemError(
        409,
        'Only interrupted or stopped runs can be resumed.',
        `Its status is "${run.status}".`,
      );
    }
    return c.json(shown(c, await requireJobs(jobs).resume(run)), 202);
  });
  app.openapi(publish, async (c) => {
    requireOperator(c);
    const run = await find(context, c.req.valid('param').run);
    const published = run.published === false ? await requireJobs(jobs).publish(run) : undefined;
    if (published === undefined)
      throw new ProblemError(409, 'There is nothing to publish.', 'Its model is not held back.');
    context.log('run-published', { run: run.id });
    return c.json(shown(c, published), 200);
  });
  eventRoute(app, context);
}

/**
 * Server-sent events: the run now, then on every change, until it has ended. Only the newest state waits for
 * a slow reader, and one that takes nothing for `streamStallMs` is let go, so a stream holds a few kilobytes
 * at most.
 */
function eventRoute(app: App, context: ServerContext): void {
  app.openAPIRegistry.registerPath(events);
  const { limits, closing } = context;
  const places = new StreamPlaces(limits.streams);
  app.get('/api/runs/:run/events', async (c) => {
    const id = c.req.param('run');
    const first = await find(context, id);
    const ending = new AbortController();
    const leave = places.take(c.get('caller'), c.get('role') ?? 'viewer', () => ending.abort());
    if (leave === undefined) {
      throw new ProblemError(
        429,
        'Too many event streams.',
        'Close some, or ask GET /api/runs/{run} now and then.',
      );
    }
    return eventStreamResponse(c.env, async (stream) => {
      const pending: Run[] = [first];
      let wake = () => {};
      const notify = (run: Run) => {
        // Only the newest state matters to a slow reader.
        if (pending.length > 0 && !hasEnded(pending.at(-1)!)) pending.length = 0;
        pending.push(run);
        wake();
      };
      const unwatch = context.jobs?.watch(id, notify) ?? (() => {});
      const wakeUp = () => wake();
      const ends = [stream.gone, closing, ending.signal];
      for (const signal of ends) signal.addEventListener('abort', wakeUp);
      try {
        while (!ends.some(({ aborted }) => aborted)) {
          const run = pending.shift();
          if (run !== undefined) {
            if (!(await stream.send('run', JSON.stringify(shown(c, run)))) || hasEnded(run)) break;
            continue;
          }
          const isQuiet = await new Promise<boolean>((resolve) => {
            const timer = setTimeout(() => resolve(true), 15_000);
            wake = () => {
              clearTimeout(timer);
              resolve(false);
            };
          });
          if (isQuiet && !(await stream.keepAlive())) break;
        }
      } finally {
        leave();
        unwatch();
        closing.removeEventListener('abort', wakeUp);
      }
    });
  });
}

async function find({ jobs, store }: ServerContext, id: string): Promise<Run> {
  const run = await (jobs?.current(id) ?? store.get(id));
  if (run === undefined) throw noRun();
  return run;
}

function requireJobs(jobs: JobRunner | undefined): JobRunner {
  if (jobs === undefined)
    throw new ProblemError(409, 'This server only publishes.', 'Start it with --data to train here.');
  return jobs;
}

function noRun(): ProblemError {
  return new ProblemError(404, 'No such run.', 'GET /api/runs lists them.');
}

function requestWithoutModel(request: RunRequest) {
  const {
    model: _model,
    evaluate: _evaluate,
    recordUnprotected: _told,
    publishFrom: _rule,
    ...rest
  } = request;
  return { ...rest, settings: { ...rest.settings } };
}

/**
 * The run as this caller may see it. Viewers get what the certificate says and where the run stands: how good
 * it is, how long it took and why it failed depend on the ratings, and no certificate covers that.
 */
function shown(c: Context<AppEnvironment>, run: Run): z.infer<typeof runSchema> {
  const { request, result, quality, error } = run;
  const whole = {
    ...run,
    // Runs of older servers have neither.
    startedBy: run.startedBy ?? null,
    published: run.published ?? (run.status === 'done' ? true : null),
    request: { ...request, settings: { ...request.settings } },
  };
  if (c.get('role') === 'operator')
    return { ...whole, result: result && { ...result }, quality: quality && { ...quality } };
  const { seconds: _, ...certified } = result ?? {};
  return {
    ...whole,
    startedBy: null,
    startedAt: null,
    endedAt: null,
    result: result && certified,
    quality: null,
    error: error && 'Training failed. Operators of this server see why.',
  };
}
