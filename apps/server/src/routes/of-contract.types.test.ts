import { z } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import { ofContract } from './of-contract.js';

interface Answer {
  readonly id: string;
  readonly values: readonly (number | null)[];
  readonly note?: string;
}

it('a schema that says something else than the contract stops the build', () => {
  const same = z.object({
    id: z.string(),
    values: z.array(z.number().nullable()),
    note: z.string().optional(),
  });
  expect(ofContract<Answer>()(same)).toBe(same);
  const refused = [
    // @ts-expect-error: a field is missing
    ofContract<Answer>()(same.omit({ id: true })),
    // @ts-expect-error: an optional field is missing
    ofContract<Answer>()(same.omit({ note: true })),
    // @ts-expect-error: a field is not in the contract
    ofContract<Answer>()(same.extend({ more: z.number() })),
    // @ts-expect-error: an optional field is not in the contract
    ofContract<Answer>()(same.extend({ more: z.number().optional() })),
    // @ts-expect-error: a field is required that the contract leaves open
    ofContract<Answer>()(same.extend({ note: z.string() })),
    // @ts-expect-error: null is not in the contract
    ofContract<Answer>()(same.extend({ id: z.string().nullable() })),
    // @ts-expect-error: null is missing
    ofContract<Answer>()(same.extend({ values: z.array(z.number()) })),
  ];
  expect(refused).toHaveLength(7);
});
