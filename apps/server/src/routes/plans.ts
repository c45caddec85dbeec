import { createRoute, type z } from '@hono/zod-openapi';
import { planRun } from '@hushrec/factorize';
import type { CalibratedPlan, PrivacyEvent } from '@hushrec/privacy';
import { guaranteeInWords } from '../guarantee-in-words.js';
import { budgetWith } from '../ledger-view.js';
import { ProblemError } from '../problem.js';
import type { RateLimiter } from '../protection/rate-limit.js';
import { addressOf, requireOperator } from '../protection/require-role.js';
import type { App, ServerContext } from '../server-context.js';
import { json, problem } from './responses.js';
import { planRequestSchema, planSchema } from './schemas.js';

const preview = createRoute({
  method: 'post',
  path: '/api/plans',
  summary: 'What a run would promise, before it is started',
  description: 'Made from settings and the data set’s public shape. Reads no rating and spends nothing.',
  security: [{ token: [] }],
  request: { body: { required: true, content: { 'application/json': { schema: planRequestSchema } } } },
  responses: {
    200: json(planSchema, 'The guarantee and the releases it rests on.'),
    400: problem('The method cannot run with these settings.'),
    403: problem('Not an operator.'),
    404: problem('There is no such data set.'),
  },
});

type PlanRequest = z.infer<typeof planRequestSchema>;

export function planRoutes(app: App, context: ServerContext, starts: RateLimiter): void {
  app.openapi(preview, async (c) => {
    requireOperator(c);
    if (!starts.take(addressOf(c))) throw new ProblemError(429, 'Too many previews.', 'Wait a few seconds.');
    return c.json(await planOf(context, c.req.valid('json')), 200);
  });
}

/** The plan of a request; refuses with the reason a person can act on. */
export async function planOf(
  context: ServerContext,
  request: PlanRequest,
): Promise<z.infer<typeof planSchema>> {
  const dataset = await context.datasets?.get(request.dataset);
  if (dataset === undefined)
    throw new ProblemError(404, 'No such data set.', 'GET /api/datasets lists them.');
  const { manifest } = dataset;
  try {
    const { method, plan, settings } = planRun({
      method: request.method,
      settings: request.settings,
      itemCount: manifest.items,
      scale: manifest.scale,
      epsilon: request.epsilon ?? Infinity,
      delta: request.delta ?? 0,
    });
    const isGuaranteed = Number.isFinite(plan.epsilon);
    return {
      method: method.id,
      title: method.title,
      unit: isGuaranteed ? plan.unit : 'none',
      relation: isGuaranteed ? plan.relation : 'none',
      epsilon: isGuaranteed ? plan.epsilon : null,
      delta: plan.delta,
      accountant: plan.accountant,
      words: guaranteeInWords(plan),
      releases: plan.releases.map(({ name, mechanism, sensitivity, noise, count }) => ({
        name,
        mechanism: mechanism.kind,
        sensitivity,
        noise,
        count,
      })),
      settings: { ...settings },
      budget: isGuaranteed
        ? await budgetWith(
            dataset,
            context.ledger,
            { kind: 'event', event: planEvent(plan) },
            { unit: plan.unit, relation: plan.relation },
            plan.delta,
          )
        : null,
    };
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && callersErrors.has(error.name))) {
      throw new ProblemError(400, 'This run is not possible.', error.message);
    }
    throw error;
  }
}

/** What the whole plan costs: every line as often as it is released. */
function planEvent(plan: CalibratedPlan): PrivacyEvent {
  return {
    kind: 'composed',
    events: plan.releases.map(({ event, count }) => ({ kind: 'repeated', event, count })),
  };
}

const callersErrors = new Set([
  'NoGuaranteeError',
  'CalibrationError',
  'UnsupportedEventError',
  'SettingsError',
]);
