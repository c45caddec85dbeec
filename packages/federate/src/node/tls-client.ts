import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Fetcher } from '../http/wire.js';
import { collectBody, declaredLength } from './collect-body.js';

export interface ClientOptions {
  /** Certificates (PEM) that are believed, and no other; without them those of the platform's authorities. */
  readonly believed?: readonly string[];
  /** This side's own certificate, for servers that ask for one. */
  readonly own?: { readonly key: string; readonly cert: string };
  readonly timeoutMilliseconds?: number;
  readonly mostBytes?: number;
  /** Connections to one host at a time (64); further requests wait for one of them. */
  readonly mostConnections?: number;
}

/** Requests over Node's own TLS, with certificates of our own choice on both sides. */
export function tlsClient(options: ClientOptions = {}): Fetcher & { close(): void } {
  const { believed, own, timeoutMilliseconds = 60_000, mostBytes = 2 ** 31, mostConnections = 64 } = options;
  const https = new HttpsAgent({
    keepAlive: true,
    maxSockets: mostConnections,
    minVersion: 'TLSv1.3',
    ...(believed && { ca: [...believed] }),
    ...own,
  });
  const http = new HttpAgent({ keepAlive: true, maxSockets: mostConnections });
  const fetcher: Fetcher = (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url);
      const secure = target.protocol === 'https:';
      const outgoing = (secure ? httpsRequest : httpRequest)(
        target,
        {
          method,
          agent: secure ? https : http,
          headers: { ...headers, ...(body && { 'content-length': String(body.length) }) },
          timeout: timeoutMilliseconds,
          ...(signal && { signal }),
        },
        (response) => {
          read(response, mostBytes).then(
            (bytes) => resolve({ status: response.statusCode ?? 0, body: bytes }),
            reject,
          );
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMilliseconds} ms`)));
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return Object.assign(fetcher, {
    close: () => {
      https.destroy();
      http.destroy();
    },
  });
}

async function read(response: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = await collectBody(response, declaredLength(response), most);
  if (body === undefined) throw new Error('the answer is longer than expected');
  return body;
}
