import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ProblemError } from '../problem.js';
import { dayOf } from '../protection/day-of.js';
import type { AppEnvironment, ServerContext } from '../server-context.js';
import type { Run } from '../state/run.js';
import type { runSchema } from './schemas.js';

/** The run with its newest progress. Throws where there is none. */
export async function findRun({ jobs, store }: ServerContext, id: string): Promise<Run> {
  const run = await (jobs?.current(id) ?? store.get(id));
  if (run === undefined) throw new ProblemError(404, 'No such run.', 'GET /api/runs lists them.');
  return run;
}

/**
 * The run as this caller may see it. Viewers get what the certificate says and where the run stands: how good
 * it is, how long it and its steps took and why it failed depend on the ratings, and no certificate covers
 * that. Nor do they get the hash of its plan: where no catalogue was declared, it follows from the items that
 * were rated, before a model states them.
 */
export function shownRun(c: Context<AppEnvironment>, run: Run): z.infer<typeof runSchema> {
  const { request, result, quality, error } = run;
  const whole = {
    ...run,
    request: { ...request, settings: { ...request.settings } },
  };
  if (c.get('role') === 'operator')
    return { ...whole, result: result && { ...result }, quality: quality && { ...quality } };
  const { seconds: _, ...certified } = result ?? {};
  const { plan: _hash, ...asked } = whole.request;
  return {
    ...whole,
    request: asked,
    progress: untimed(run.progress),
    startedBy: null,
    createdAt: dayOf(run.createdAt),
    startedAt: null,
    endedAt: null,
    result: result && certified,
    quality: null,
    error: error && 'Training failed. Operators of this server see why.',
  };
}

/** Progress without how long each release took. */
function untimed(progress: Run['progress']): Run['progress'] {
  if (progress?.live === undefined) return progress;
  const { seconds: _, ...live } = progress.live;
  return { ...progress, live };
}
