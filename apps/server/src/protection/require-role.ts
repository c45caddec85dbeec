import type { Context } from 'hono';
import { ProblemError } from '../problem.js';
import type { AppEnvironment } from '../server-context.js';

/** Refuses everyone but operators. */
export function requireOperator(context: Context<AppEnvironment>): void {
  if (context.get('role') !== 'operator') throw needsOperator();
}

export function needsOperator(): ProblemError {
  return new ProblemError(
    403,
    'This needs an operator.',
    'Send an operator token: "Authorization: Bearer TOKEN".',
  );
}

/** The caller's address, as the key of limits; never logged. */
export function addressOf(context: Context<AppEnvironment>): string {
  return context.env?.incoming?.socket?.remoteAddress ?? 'unknown';
}
