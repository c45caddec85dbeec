import type { ServerResponse } from 'node:http';
import type { Http2Bindings, HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

type Fetch = (request: Request, connection: HttpBindings | Http2Bindings) => unknown;

/** Server-sent events to one reader. */
export interface EventStream {
  /** Aborted when the reader has gone. */
  readonly gone: AbortSignal;
  /** Sends an event with its data; false when it was not taken in time: the reader has been let go. */
  send(event: string, data: string): Promise<boolean>;
  /** Sends a line that readers skip, so that a quiet connection is not taken for a dead one. */
  keepAlive(): Promise<boolean>;
}

const begun = new WeakMap<object, (stream: EventStream) => Promise<void>>();

/**
 * Answers a request with a stream of events, which `tell` writes once status and headers have passed every
 * layer of the application. It goes straight to the connection (`sendEventStreams`): through the adapter
 * between Hono and Node.js each chunk of a body would hold a promise for as long as the body lasts, 100 bytes
 * an event (@hono/node-server 2.1: its reader returns the promise of the next read to that of the last).
 */
export function eventStreamResponse(
  { outgoing }: Partial<HttpBindings>,
  tell: (stream: EventStream) => Promise<void>,
): Response {
  if (outgoing === undefined) throw new Error('Events need a connection of Node.js.');
  begun.set(outgoing, tell);
  return new Response(null, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  });
}

/** The application, its streams of events written to the connection. */
export function sendEventStreams(fetch: Fetch, limits: { readonly streamStallMs: number }): Fetch {
  return async (request, connection) => {
    const response = (await fetch(request, connection)) as Response;
    const outgoing = connection.outgoing as ServerResponse;
    const tell = begun.get(outgoing);
    if (tell === undefined) return response;
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    try {
      await tell(streamTo(outgoing, limits.streamStallMs, request.method === 'HEAD'));
      outgoing.end();
    } catch {
      // Status and headers are gone: a connection that is cut says that this was not the end.
      outgoing.destroy();
    }
    return RESPONSE_ALREADY_SENT;
  };
}

/** Whoever wants headers alone is gone from the start. */
function streamTo(outgoing: ServerResponse, stallMs: number, wantsHeadersAlone: boolean): EventStream {
  const gone = new AbortController();
  if (outgoing.closed || wantsHeadersAlone) gone.abort();
  else outgoing.once('close', () => gone.abort());
  const write = async (text: string): Promise<boolean> => {
    if (gone.signal.aborted) return false;
    if (outgoing.write(text)) return true;
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => settle(false), stallMs);
      const onDrain = () => settle(true);
      const onClose = () => settle(false);
      const settle = (isTaken: boolean) => {
        clearTimeout(timer);
        outgoing.off('drain', onDrain).off('close', onClose);
        resolve(isTaken);
      };
      outgoing.on('drain', onDrain).on('close', onClose);
    });
    if (!isTaken) outgoing.destroy();
    return isTaken;
  };
  return {
    gone: gone.signal,
    send: (event, data) => write(`event: ${event}\ndata: ${data}\n\n`),
    keepAlive: () => write(': still here\n\n'),
  };
}
