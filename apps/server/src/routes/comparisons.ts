import { createRoute, z } from '@hono/zod-openapi';
import { readComparisons } from '../catalogue/comparisons.js';
import type { App, ServerContext } from '../server-context.js';
import { json } from './responses.js';

const row = z.object({
  method: z.string(),
  unit: z.string(),
  epsilon: z.number().nullable(),
  delta: z.number(),
  metric: z.string(),
  mean: z.number(),
  sd: z.number().nullable(),
  runs: z.number(),
  seconds: z.number(),
});
const list = createRoute({
  method: 'get',
  path: '/api/comparisons',
  summary: 'Results of `hushrec compare`',
  responses: {
    200: json(
      z.object({ comparisons: z.array(z.object({ id: z.string(), title: z.string(), rows: z.array(row) })) }),
      'All sweeps in the reports folder.',
    ),
  },
});

export function comparisonRoutes(app: App, { reports }: ServerContext): void {
  app.openapi(list, async (c) => {
    const found = reports === undefined ? [] : await readComparisons(reports);
    return c.json({ comparisons: found.map((each) => ({ ...each, rows: [...each.rows] })) }, 200);
  });
}
