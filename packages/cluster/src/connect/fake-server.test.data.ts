import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { ReceivedMessage } from './protobuf.js';

export type Answer = (
  stream: ServerHttp2Stream,
  request: ReceivedMessage,
  method: string,
  headers: IncomingHttpHeaders,
) => void;

/** A server of Spark Connect that answers as it is told. */
export class FakeServer {
  readonly #server = createServer();

  constructor(answer: Answer) {
    this.#server.on('stream', (stream, headers) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('error', () => undefined);
      stream.on('end', () => {
        const method = String(headers[':path']).split('/').at(-1) ?? '';
        const bytes = Buffer.concat(parts);
        const first = bytes.subarray(5, 5 + bytes.readUInt32BE(1));
        answer(stream, new ReceivedMessage(first), method, headers);
      });
    });
  }

  /** Begins to listen; its port. */
  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

export function framed(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function respond(
  stream: ServerHttp2Stream,
  messages: readonly Uint8Array[],
  status = 0,
  text = '',
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': encodeURIComponent(text) }),
  );
  for (const each of messages) stream.write(framed(each));
  stream.end();
}
