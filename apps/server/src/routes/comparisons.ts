import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRoute, z } from '@hono/zod-openapi';
import type { Answers, Comparison } from '@hushrec/page/contract';
import { readComparisons, reportName } from '../catalogue/comparisons.js';
import { ProblemError } from '../problem.js';
import type { Role } from '../protection/access.js';
import type { App, ServerContext } from '../server-context.js';
import { ofContract } from './of-contract.js';
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
const slice = z.object({ name: z.string(), metric: z.string(), values: z.array(z.number().nullable()) });
const signal = z.object({ method: z.string(), epsilon: z.number(), values: z.array(z.number().nullable()) });
const trainedOn = z.object({
  people: z.number(),
  items: z.number(),
  ratings: z.number(),
  feedback: z.enum(['ratings', 'likes']),
});
const comparison = ofContract<Comparison>()(
  z
    .object({
      id: z.string(),
      title: z.string(),
      metric: z.string(),
      withoutPrivacy: z.string().nullable(),
      rows: z.array(row),
      slices: z.array(slice),
      signals: z.array(signal),
      trainedOn: trainedOn.nullable(),
      hasReport: z.boolean(),
    })
    .openapi('Comparison'),
);
const list = createRoute({
  method: 'get',
  path: '/api/comparisons',
  summary: 'Results of `hushrec compare`',
  description: 'Viewers get those of public data. Quality on private ratings is for operators.',
  responses: {
    200: json(
      ofContract<Answers['/api/comparisons']>()(z.object({ comparisons: z.array(comparison) })),
      'All sweeps in the reports folder.',
    ),
  },
});

/** A report is one file with its styles inside, no script, and no request to anywhere. */
const reportPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Sweeps as data for the page, and their reports as they were written. */
export function comparisonRoutes(app: App, { reports, publicData }: ServerContext): void {
  // Measured quality is a look at the ratings that no certificate covers: for operators, unless the ratings
  // are public.
  const find = async (role: Role | undefined) =>
    (reports === undefined ? [] : await readComparisons(reports)).filter(
      ({ isPublic }) => isPublic || publicData || role === 'operator',
    );
  app.openapi(list, async (c) => {
    const comparisons = (await find(c.get('role'))).map(({ isPublic: _, folder: __, ...each }) => ({
      ...each,
      rows: [...each.rows],
      slices: each.slices.map(({ values, ...rest }) => ({ ...rest, values: [...values] })),
      signals: each.signals.map(({ values, ...rest }) => ({ ...rest, values: [...values] })),
    }));
    return c.json({ comparisons }, 200);
  });
  app.get('/reports/:id', async (c) => {
    const wanted = (await find(c.get('role'))).find(
      ({ id, hasReport }) => id === c.req.param('id') && hasReport,
    );
    if (wanted === undefined)
      throw new ProblemError(404, 'No such report.', 'GET /api/comparisons lists them.');
    const html = await readFile(join(reports!, wanted.folder, reportName), 'utf8');
    return c.body(html, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': reportPolicy,
    });
  });
}
