import {
  createServer as createHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { refusal, type WireHandler } from '../http/wire.js';
import { ByteRoom } from './byte-room.js';
import { collectBody, declaredLength } from './collect-body.js';

export interface ServeOptions {
  readonly port: number;
  readonly host?: string;
  /** Without it the server speaks plain HTTP: behind a proxy that has TLS, or in tests. */
  readonly tls?: {
    readonly key: string;
    readonly cert: string;
    /** Certificates of those who may connect; without them everybody may. */
    readonly clients?: readonly string[];
  };
  /** Longest body of a request. */
  readonly mostBytes: number;
  /** Bodies of all requests that are under way, together (128 MB, or sixteen of the longest). */
  readonly mostBytesAtOnce?: number;
  /** Pages of other origins may ask: what is served is public, or checked by signature. */
  readonly anyOrigin?: boolean;
  /** Told about requests that failed through a fault of this program. */
  readonly failed?: (error: unknown) => void;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a handler until it is closed. Requests that are too long, too slow or malformed are refused. */
export async function serve(handler: WireHandler, options: ServeOptions): Promise<RunningServer> {
  const { tls, mostBytes, mostBytesAtOnce = Math.max(2 ** 27, 16 * mostBytes) } = options;
  const room = new ByteRoom(Math.max(mostBytes, mostBytesAtOnce));
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(handler, options, room, request, response).catch((error: unknown) => {
      options.failed?.(error);
      if (!response.headersSent) send(response, 500, options, JSON.stringify({ reason: 'It failed here.' }));
      else response.destroy();
    });
  };
  const server: Server =
    tls === undefined
      ? createHttp(listener)
      : createHttps(
          {
            key: tls.key,
            cert: tls.cert,
            minVersion: 'TLSv1.3',
            ...(tls.clients && { ca: [...tls.clients], requestCert: true, rejectUnauthorized: true }),
          },
          listener,
        );
  server.requestTimeout = 120_000;
  server.headersTimeout = 20_000;
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host ?? '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  handler: WireHandler,
  options: ServeOptions,
  room: ByteRoom,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'OPTIONS' && options.anyOrigin) return send(response, 204, options, '');
  const left = new AbortController();
  response.once('close', () => left.abort(new DOMException('The other side went away.', 'AbortError')));
  const leave = await room.take(announcedBytes(request, options.mostBytes));
  try {
    if (!left.signal.aborted) await answerInside(handler, options, left.signal, request, response);
  } finally {
    leave();
  }
}

/**
 * What a body may take: what is declared, or all that is allowed where nothing is; too long ones are not
 * read.
 */
function announcedBytes(request: IncomingMessage, most: number): number {
  const declared = declaredLength(request);
  if (declared !== undefined) return declared <= most ? declared : 0;
  return request.headers['transfer-encoding'] === undefined ? 0 : most;
}

async function answerInside(
  handler: WireHandler,
  options: ServeOptions,
  signal: AbortSignal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, options.mostBytes);
  if (body === undefined)
    return send(response, 413, options, JSON.stringify({ reason: 'That is too long.' }));
  let url: URL;
  let path: string[];
  try {
    url = new URL(request.url ?? '/', 'http://localhost');
    path = url.pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return send(response, 400, options, JSON.stringify({ reason: 'That is no address.' }));
  }
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  try {
    const {
      status,
      body: out,
      type,
    } = await handler({
      method: request.method ?? 'GET',
      path,
      query: url.searchParams,
      headers,
      body,
      signal,
    });
    send(response, status, options, out, type);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof SyntaxError)) throw error;
    const { status, body: out } = refusal(400, 'That is not what this address takes.');
    send(response, status, options, out);
  }
}

async function readBody(
  request: IncomingMessage,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const body = await collectBody(request, declaredLength(request), most);
  if (body === undefined) request.resume();
  return body;
}

function send(
  response: ServerResponse,
  status: number,
  { anyOrigin }: ServeOptions,
  body: Uint8Array | string,
  type = 'application/json',
): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(anyOrigin && {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, PUT, POST',
      'access-control-allow-headers': 'hushrec-log, hushrec-admission, hushrec-invitation, content-type',
      'access-control-max-age': '86400',
    }),
  });
  response.end(body);
}
