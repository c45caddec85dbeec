import { createRoute } from '@hono/zod-openapi';
import { countedBefore } from '../catalogue/counted-before.js';
import { requireOperator } from '../protection/require-role.js';
import type { App, ServerContext } from '../server-context.js';
import { json, problem } from './responses.js';
import { datasetListSchema } from './schemas.js';

const list = createRoute({
  method: 'get',
  path: '/api/datasets',
  summary: 'Data sets: counts only',
  description: 'For operators: exact counts are about the people in the data and are not public.',
  security: [{ token: [] }],
  responses: { 200: json(datasetListSchema, 'The data sets.'), 403: problem('Not an operator.') },
});

/** Data sets: counts and the declared scale from the manifest. No route reads ratings. */
export function datasetRoutes(app: App, context: ServerContext): void {
  app.openapi(list, async (c) => {
    requireOperator(c);
    const entries = (await context.datasets?.list()) ?? [];
    const models = [...(await context.models.entries()).values()];
    const datasets = await Promise.all(
      entries.map(async ({ id, manifest }) => ({
        id,
        name: manifest.name,
        people: manifest.people,
        items: manifest.items,
        ratings: manifest.ratings,
        scale: manifest.scale,
        contentHash: manifest.contentHash,
        counted: await countedBefore(models, manifest.account?.id),
      })),
    );
    return c.json({ datasets }, 200);
  });
}
