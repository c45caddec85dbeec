import { createRoute } from '@hono/zod-openapi';
import type { PlanRequest } from '@hushrec/page/contract';
import type { PlanPreview } from '../accounting/plan-preview.js';
import { ProblemError } from '../problem.js';
import type { RateLimiter } from '../protection/rate-limit.js';
import { addressOf, requireOperator } from '../protection/require-role.js';
import type { App, ServerContext } from '../server-context.js';
import { json, problem } from './responses.js';
import { planRequestSchema, planSchema } from './schemas.js';
import type { ShownPlans } from './shown-plans.js';

const preview = createRoute({
  method: 'post',
  path: '/api/plans',
  summary: 'What a run would promise, before it is started',
  description:
    'Made from settings and the data set’s public shape. Reads no rating and spends nothing. A run is started with the `hash` of its plan.',
  security: [{ token: [] }],
  request: { body: { required: true, content: { 'application/json': { schema: planRequestSchema } } } },
  responses: {
    200: json(planSchema, 'The guarantee and the releases it rests on.'),
    400: problem('The method cannot run with these settings.'),
    403: problem('Not an operator.'),
    404: problem('There is no such data set.'),
    409: problem('The data set, or the ledger of these people, cannot be read.'),
    503: problem('The accountants take too long.'),
  },
});

export function planRoutes(app: App, context: ServerContext, starts: RateLimiter, shown: ShownPlans): void {
  app.openapi(preview, async (c) => {
    requireOperator(c);
    if (!starts.take(addressOf(c))) throw new ProblemError(429, 'Too many previews.', 'Wait a few seconds.');
    const request = c.req.valid('json') as PlanRequest;
    const plan = await planOf(context, request);
    shown.remember(plan.hash, request);
    return c.json(plan, 200);
  });
}

/** The plan of a request, or a refusal. */
export async function planOf(context: ServerContext, request: PlanRequest): Promise<PlanPreview> {
  const dataset = await context.datasets?.get(request.dataset);
  if (dataset === undefined)
    throw new ProblemError(404, 'No such data set.', 'GET /api/datasets lists them.');
  return context.accounting.ask('planPreview', dataset, request, context.ledger);
}
