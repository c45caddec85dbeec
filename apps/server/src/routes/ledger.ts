import { createRoute, z } from '@hono/zod-openapi';
import type { Answers, GrantRequest, LedgerView, RefuseRequest, Sent } from '@hushrec/page/contract';
import { ProblemError } from '../problem.js';
import { requireOperator } from '../protection/require-role.js';
import type { App, ServerContext } from '../server-context.js';
import { ofContract } from './of-contract.js';
import { json, problem } from './responses.js';
import { folderName } from './schemas.js';

const cost = z.object({ epsilon: z.number().nullable(), delta: z.number(), unit: z.string() });
const ledgerSchema = ofContract<LedgerView>()(
  z
    .object({
      dataset: z.string(),
      name: z.string(),
      account: z.string(),
      grant: cost.extend({ period: z.string().nullable() }).nullable(),
      refused: z.boolean(),
      runs: z.number().int(),
      unfinishedRuns: z.number().int().nullable(),
      spent: z.array(cost.extend({ accountant: z.string() })),
      entries: z.array(
        z.object({
          number: z.number(),
          at: z.string(),
          kind: z.enum([
            'account',
            'grant',
            'refusal',
            'spend',
            'unprotected',
            'completion',
            'merge',
            'different',
            'loss',
          ]),
          detail: z.string(),
          hash: z.string(),
          finished: z.boolean().nullable(),
          cost: z.object({ epsilon: z.number().nullable(), after: z.number().nullable() }).nullable(),
        }),
      ),
      problem: z.string().nullable(),
    })
    .openapi('Ledger'),
);
const list = createRoute({
  method: 'get',
  path: '/api/ledger',
  summary: 'Privacy budgets of the data sets over all runs',
  responses: {
    200: json(
      ofContract<Answers['/api/ledger']>()(z.object({ ledgers: z.array(ledgerSchema) })),
      'One state per data set that has a ledger.',
    ),
  },
});

const note = z.string().trim().min(3).max(500).openapi({ description: 'Who decided, and why.' });
const responses = {
  200: json(
    ofContract<Sent[`/api/ledger/${string}/grant`]['answer']>()(z.object({ ledger: ledgerSchema })),
    'The account after the decision.',
  ),
  403: problem('Not an operator.'),
  404: problem('There is no such data set.'),
  409: problem('The ledger could not be written.'),
};
const params = z.object({ dataset: folderName });
const grantSchema = ofContract<GrantRequest>()(
  z
    .object({ epsilon: z.number().positive().max(1e6), note })
    .strict()
    .openapi('Grant'),
);
const refusalSchema = ofContract<RefuseRequest>()(z.object({ note }).strict().openapi('Refusal'));
const grant = createRoute({
  method: 'post',
  path: '/api/ledger/{dataset}/grant',
  summary: 'Set the total that all runs on these people may spend',
  security: [{ token: [] }],
  request: { params, body: { required: true, content: { 'application/json': { schema: grantSchema } } } },
  responses,
});
const refuse = createRoute({
  method: 'post',
  path: '/api/ledger/{dataset}/refuse',
  summary: 'Stop all spending on these people until another grant',
  security: [{ token: [] }],
  request: { params, body: { required: true, content: { 'application/json': { schema: refusalSchema } } } },
  responses,
});

const deltaOfFirstGrant = 1e-6;

/** Budgets, read from the chain of entries each time: a changed entry shows at once. */
export function ledgerRoutes(app: App, context: ServerContext): void {
  app.openapi(list, async (c) => {
    const datasets = (await context.datasets?.list()) ?? [];
    const reader = c.get('role') ?? 'viewer';
    const views = await Promise.all(
      datasets.map((dataset) => context.accounting.ask('ledgerView', dataset, context.ledger, reader)),
    );
    return c.json({ ledgers: views.filter((view) => view !== undefined) }, 200);
  });
  app.openapi(grant, async (c) => {
    requireOperator(c);
    const { epsilon, note: why } = c.req.valid('json');
    const before = await viewOf(context, c.req.valid('param').dataset);
    // What an earlier grant said besides its ε stays; unread, it would be lost.
    if (before?.problem != null) throw new ProblemError(409, 'Nothing was written.', before.problem);
    return c.json(
      {
        ledger: await decide(context, c.req.valid('param').dataset, 'grant', [
          `--epsilon=${epsilon}`,
          `--delta=${before?.grant?.delta ?? deltaOfFirstGrant}`,
          `--unit=${before?.grant?.unit ?? 'user'}`,
          ...(before?.grant?.period == null ? [] : [`--per=${before.grant.period}`]),
          `--note=${why}`,
        ]),
      },
      200,
    );
  });
  app.openapi(refuse, async (c) => {
    requireOperator(c);
    const { note: why } = c.req.valid('json');
    return c.json(
      { ledger: await decide(context, c.req.valid('param').dataset, 'refuse', [`--note=${why}`]) },
      200,
    );
  });
}

/** By the command that does it at a terminal too: it remembers whose budget it is. */
async function decide(context: ServerContext, id: string, what: 'grant' | 'refuse', options: string[]) {
  const dataset = await context.datasets?.get(id);
  if (dataset === undefined || context.jobs === undefined)
    throw new ProblemError(404, 'No such data set.', 'GET /api/datasets lists them.');
  const { exitCode, message } = await context.jobs.command([
    'ledger',
    what,
    dataset.path,
    ...options,
    '--json',
  ]);
  if (exitCode !== 0)
    throw new ProblemError(409, 'Nothing was written.', message.replaceAll(dataset.path, id));
  context.log(`ledger-${what}`, { dataset: id });
  const view = await viewOf(context, id);
  if (view === undefined) throw new ProblemError(409, 'Nothing was written.', 'The ledger has no entry.');
  return view;
}

/** For operators. */
async function viewOf(context: ServerContext, id: string) {
  const dataset = await context.datasets?.get(id);
  if (dataset === undefined)
    throw new ProblemError(404, 'No such data set.', 'GET /api/datasets lists them.');
  return context.accounting.ask('ledgerView', dataset, context.ledger, 'operator');
}
