import type { Answers, Run, Sent } from '../contract.js';

export type {
  Comparison,
  ComparisonRow,
  DatasetSummary,
  GrantRequest,
  LedgerEntryView,
  LedgerView,
  LiveSignal,
  MethodSummary,
  ModelSummary,
  PlanPreview,
  PlanRequest,
  RefuseRequest,
  Run,
  RunRequest,
  SettingSummary,
} from '../contract.js';

/** The server refused or could not be reached; the message is for people. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const tokenKey = 'hushrec.token';

/** The operator's token, kept for this tab only. */
function currentToken(): string | null {
  return sessionStorage.getItem(tokenKey);
}

/** Whether a token is kept: what only operators may see is then missing for another reason. */
export function isSignedIn(): boolean {
  return currentToken() !== null;
}

/** Whether a token is just being tried; a wrong one is then the person's to correct. */
let isSigningIn = false;

/** Tries a token and gives the role it has; keeps it only when it is an operator's. */
export async function tryToken(token: string): Promise<string | null> {
  const before = currentToken();
  rememberToken(token);
  isSigningIn = true;
  let role: string | null = null;
  try {
    ({ role } = await askJson('/api/whoami'));
    return role;
  } finally {
    isSigningIn = false;
    if (role !== 'operator') rememberToken(before);
  }
}

export function rememberToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(tokenKey);
  else sessionStorage.setItem(tokenKey, token);
}

/** Where a path of the server is: beside the page, which a proxy may serve below a prefix such as `/rec/`. */
export function addressOf(path: string): string {
  return `.${path}`;
}

/** A request to this server. No function of the page passes any part of the person's history to it. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = currentToken();
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  let response: Response;
  try {
    response = await fetch(addressOf(path), { ...init, headers });
  } catch {
    throw new ServerError(0, 'The server does not answer. Check that it runs, then try again.');
  }
  if (response.ok) return response;
  if (response.status === 401 && token !== null && init.method !== 'POST' && !isSigningIn) {
    // The server was started anew and has another token: go on as a reader.
    rememberToken(null);
    return ask(path, init);
  }
  const problem = (await response.json().catch(() => ({}))) as { title?: string; detail?: string };
  throw new ServerError(
    response.status,
    [problem.title ?? `The server answered ${response.status}.`, problem.detail].join(' ').trim(),
  );
}

/** The answer that the contract has for a path. */
export async function askJson<Path extends keyof Answers>(path: Path): Promise<Answers[Path]> {
  return (await (await ask(path)).json()) as Answers[Path];
}

/** Sends what the contract asks for at a path. */
export async function send<Path extends keyof Sent>(
  path: Path,
  body: Sent[Path]['body'],
): Promise<Sent[Path]['answer']> {
  const init: RequestInit =
    body === undefined
      ? { method: 'POST' }
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await ask(path, init)).json()) as Sent[Path]['answer'];
}

/** Follows a run's server-sent events until it ends or the signal is aborted. */
export async function followRun(
  id: string,
  onChange: (run: Run) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await ask(`/api/runs/${id}/events`, { signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    pending += value;
    const events = pending.split('\n\n');
    pending = events.pop()!;
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n');
      if (data !== '') onChange(JSON.parse(data) as Run);
    }
  }
}
