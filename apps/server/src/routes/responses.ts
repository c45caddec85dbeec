import type { z } from '@hono/zod-openapi';
import { problemSchema } from './schemas.js';

/** A JSON answer in the OpenAPI description. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** A refusal in the OpenAPI description. */
export function problem(description: string) {
  return { description, content: { 'application/problem+json': { schema: problemSchema } } };
}
