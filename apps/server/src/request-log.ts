/** One line of the log. Holds the route's pattern, never a query, a body, a token or an address. */
export interface LogLine {
  readonly time: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly event: string;
  readonly [field: string]: string | number | boolean | null;
}

/** Where log lines go. */
export type Log = (
  event: string,
  fields?: Readonly<Record<string, string | number | boolean | null>>,
  level?: LogLine['level'],
) => void;

/** JSON lines, gathered for up to 50 ms so that logging costs little under load. `flush` on the way out. */
export function createLog(write: (text: string) => void): { readonly log: Log; flush(): void } {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pending !== '') write(pending);
    pending = '';
  };
  const log: Log = (event, fields = {}, level = 'info') => {
    pending += `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`;
    if (level === 'error' || pending.length > 1 << 16) flush();
    else timer ??= setTimeout(flush, 50).unref();
  };
  return { log, flush };
}

/**
 * What the log says of an error: its kind, and of those of the system and of databases, which have a code,
 * the code and the message. Other messages may hold anything.
 */
export function errorFields(error: Error): Readonly<Record<string, string>> {
  const { code } = error as { code?: unknown };
  const isOwn = error.name === 'StateLostError' || error.name === 'StateUnavailableError';
  return {
    error: error.name,
    ...(typeof code === 'string' && { code }),
    ...((typeof code === 'string' || isOwn) && { message: error.message }),
  };
}
