import type { Fetcher } from './wire.js';

/** The platform's own `fetch`: for pages and for servers whose certificates the platform believes. */
export function fetchClient(timeoutMilliseconds = 60_000): Fetcher {
  return async (url, { method, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const answer = await fetch(url, {
      method,
      ...(headers && { headers }),
      ...(body && { body: body as Uint8Array<ArrayBuffer> }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
  };
}
