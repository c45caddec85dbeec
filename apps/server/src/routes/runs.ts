import { randomUUID } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import type { PlanPreview } from '../accounting/plan-preview.js';
import type { JobRunner } from '../jobs/job-runner.js';
import { ProblemError } from '../problem.js';
import type { RateLimiter } from '../protection/rate-limit.js';
import { addressOf, requireOperator } from '../protection/require-role.js';
import type { App, ServerContext } from '../server-context.js';
import { hasEnded, type RunRequest } from '../state/run.js';
import { planOf } from './plans.js';
import { json, problem } from './responses.js';
import { runEventRoute } from './run-events.js';
import { findRun, shownRun } from './run-shown.js';
import { runListSchema, runRequestSchema, runSchema } from './schemas.js';
import type { ShownPlans } from './shown-plans.js';

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
  description:
    'Needs the `hash` of the plan that was shown. Where the plan of the run is another one, nothing is queued and nothing is charged.',
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

/** Training runs: start, watch, stop, resume. */
export function runRoutes(app: App, context: ServerContext, starts: RateLimiter, shown: ShownPlans): void {
  const { jobs, store } = context;
  app.openapi(list, async (c) => {
    const runs = await store.list(c.req.valid('query').limit);
    const current = await Promise.all(runs.map((run) => (hasEnded(run) ? run : jobs?.current(run.id))));
    return c.json({ runs: current.map((run, index) => shownRun(c, run ?? runs[index])) }, 200);
  });
  app.openapi(one, async (c) => c.json(shownRun(c, await findRun(context, c.req.valid('param').run)), 200));
  app.openapi(start, async (c) => {
    requireOperator(c);
    if (!starts.take(addressOf(c))) throw new ProblemError(429, 'Too many starts.', 'Wait a few seconds.');
    const request = c.req.valid('json') as RunRequest;
    const runner = requireJobs(jobs);
    const planned = plannedOf(request);
    const plan = await planOf(context, planned);
    // Before anything is queued, let alone charged: what is made is what was shown.
    if (plan.hash !== request.plan) throw shown.refusal(request.plan, planned);
    requireBudget(plan, request.recordUnprotected === true);
    const isTaken = (await context.models.get(request.model)) !== undefined;
    const run = isTaken ? undefined : await runner.start(randomUUID(), request, c.get('name') ?? null);
    if (run === undefined)
      throw new ProblemError(409, 'This model name is taken.', 'Choose another name for the new model.');
    context.log('run-started', { run: run.id, method: request.method });
    return c.json(shownRun(c, run), 201);
  });
  app.openapi(stop, async (c) => {
    requireOperator(c);
    const run = await findRun(context, c.req.valid('param').run);
    if (!(await requireJobs(jobs).stop(run.id))) {
      throw new ProblemError(409, 'This run is not active.', `Its status is "${run.status}".`);
    }
    return c.json(shownRun(c, await findRun(context, run.id)), 202);
  });
  app.openapi(resume, async (c) => {
    requireOperator(c);
    const run = await findRun(context, c.req.valid('param').run);
    if (run.status !== 'interrupted' && run.status !== 'stopped') {
      throw new ProblemError(
        409,
        'Only interrupted or stopped runs can be resumed.',
        `Its status is "${run.status}".`,
      );
    }
    const resumed = await requireJobs(jobs).resume(run);
    if (resumed === undefined)
      throw new ProblemError(409, 'This run was resumed already.', 'Somebody else was faster.');
    return c.json(shownRun(c, resumed), 202);
  });
  app.openapi(publish, async (c) => {
    requireOperator(c);
    const run = await findRun(context, c.req.valid('param').run);
    const published = run.published === false ? await requireJobs(jobs).publish(run) : undefined;
    if (published === undefined)
      throw new ProblemError(409, 'There is nothing to publish.', 'Its model is not held back.');
    context.log('run-published', { run: run.id });
    return c.json(shownRun(c, published), 200);
  });
  runEventRoute(app, context);
}

/** Refuses what the ledger would refuse, before anything is queued; `told` to record what has no cost. */
function requireBudget({ budget, isUnprotected }: PlanPreview, told: boolean): void {
  const title = 'The budget does not allow this run.';
  if (isUnprotected) {
    if (told) return;
    throw new ProblemError(
      409,
      title,
      'It has no finite cost in the budget of these people. With `recordUnprotected` it is made all the same, and written down in the ledger.',
    );
  }
  if (budget === null || budget.granted === null) return;
  if (!((budget.after ?? Infinity) <= budget.granted))
    throw new ProblemError(
      409,
      title,
      `ε = ${budget.granted} was granted for all runs together; with this one it would be ${budget.after ?? 'infinite'}.`,
    );
}

function requireJobs(jobs: JobRunner | undefined): JobRunner {
  if (jobs === undefined)
    throw new ProblemError(409, 'This server only publishes.', 'Start it with --data to train here.');
  return jobs;
}

/** What a plan is made of: what is measured, published or written down besides is no part of it. */
function plannedOf({
  plan: _,
  evaluate: _quality,
  recordUnprotected: _told,
  publishFrom: _rule,
  ...planned
}: RunRequest) {
  return { ...planned, settings: { ...planned.settings } };
}
