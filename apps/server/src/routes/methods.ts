import { createRoute, z } from '@hono/zod-openapi';
import { methods } from '@hushrec/factorize';
import type { Answers, MethodSummary } from '@hushrec/page/contract';
import type { App } from '../server-context.js';
import { ofContract } from './of-contract.js';
import { json } from './responses.js';

const setting = z.object({
  type: z.enum(['number', 'integer', 'choice', 'boolean', 'numbers-by-name']),
  default: z.union([z.number(), z.string(), z.boolean()]),
  min: z.number().optional(),
  max: z.number().optional(),
  choices: z.array(z.string()).readonly().optional(),
  description: z.string().optional(),
});
const method = ofContract<MethodSummary>()(
  z.object({
    id: z.string(),
    title: z.string(),
    paper: z.string(),
    feedback: z.array(z.string()),
    protects: z.array(z.object({ unit: z.string(), relation: z.string() })),
    settings: z.record(z.string(), setting),
  }),
);
const list = createRoute({
  method: 'get',
  path: '/api/methods',
  summary: 'Training methods with their settings',
  responses: {
    200: json(ofContract<Answers['/api/methods']>()(z.object({ methods: z.array(method) })), 'All methods.'),
  },
});

/** What can be trained: makes the page's form. */
export function methodRoutes(app: App): void {
  const described = methods.map(({ id, title, paper, feedback, protects, settings }) => ({
    id,
    title,
    paper,
    feedback: [...feedback],
    protects: protects.map(({ unit, relation }) => ({ unit, relation })),
    settings: { ...settings },
  }));
  app.openapi(list, (c) => c.json({ methods: described }, 200));
}
