import { createRoute, z } from '@hono/zod-openapi';
import type { App, ServerContext } from '../server-context.js';
import { json } from './responses.js';

const cost = z.object({ epsilon: z.number().nullable(), delta: z.number(), unit: z.string() });
const ledgerSchema = z
  .object({
    dataset: z.string(),
    name: z.string(),
    account: z.string(),
    grant: cost.nullable(),
    refused: z.boolean(),
    runs: z.number().int(),
    unfinishedRuns: z.number().int(),
    spent: z.array(cost.extend({ accountant: z.string() })),
    entries: z.array(
      z.object({
        number: z.number(),
        at: z.string(),
        kind: z.string(),
        detail: z.string(),
        hash: z.string(),
        cost: z.object({ epsilon: z.number().nullable(), after: z.number().nullable() }).nullable(),
      }),
    ),
    problem: z.string().nullable(),
  })
  .openapi('Ledger');
const list = createRoute({
  method: 'get',
  path: '/api/ledger',
  summary: 'Privacy budgets of the data sets over all runs',
  responses: {
    200: json(z.object({ ledgers: z.array(ledgerSchema) }), 'One state per data set that has a ledger.'),
  },
});

/** Budgets, read from the chain of entries each time: a changed entry shows at once. */
export function ledgerRoutes(app: App, context: ServerContext): void {
  app.openapi(list, async (c) => {
    const datasets = (await context.datasets?.list()) ?? [];
    const views = await Promise.all(
      datasets.map((dataset) => context.accounting.ask('ledgerView', dataset, context.ledger)),
    );
    return c.json({ ledgers: views.filter((view) => view !== undefined) }, 200);
  });
}
