import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** What went wrong, in the shape of RFC 9457: `title` says what, `detail` what to do. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** Thrown by routes for anything that is the caller's to mend. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(status: number, title: string, detail: string) {
    super(`${title} ${detail}`);
    this.problem = { status, title, detail };
  }
}

/** Whether a file could not be written for want of room: by the system, by SQLite, by PostgreSQL. */
export function isFullDisk(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100'].includes(String((each as { code?: unknown }).code)))
      return true;
  return false;
}

export function problemResponse(context: Context, problem: Problem): Response {
  const response = context.json(problem, problem.status as ContentfulStatusCode);
  response.headers.set('content-type', 'application/problem+json');
  if (problem.status === 401) response.headers.set('www-authenticate', 'Bearer realm="hushrec"');
  // The rest of a body that is too large is not read, so the connection cannot be used again.
  if (problem.status === 413) response.headers.set('connection', 'close');
  if (problem.status === 429) response.headers.set('retry-after', '5');
  return response;
}
