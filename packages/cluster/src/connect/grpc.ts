import { type ClientHttp2Session, connect, constants } from 'node:http2';

/** A call that the server did not answer as it should. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  /** Status of gRPC: 14 where the server cannot be reached, 16 where the token is wrong. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const grpcStatus = {
  cancelled: 1,
  notFound: 5,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface GrpcOptions {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes that the server may send before we read them: sums of millions of items come in one stream. */
const WINDOW = 16 * 2 ** 20;

/**
 * Calls of gRPC over Node's own HTTP/2: a message is a byte 0, its length in 4 bytes, and itself. One
 * connection, made again where it was lost.
 */
export class GrpcConnection {
  readonly #options: GrpcOptions;
  #session: ClientHttp2Session | undefined;

  constructor(options: GrpcOptions) {
    this.#options = options;
  }

  /**
   * Calls a method with one or more messages and yields what comes back.
   * @throws GrpcError
   */
  async *call(method: string, messages: Iterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Buffer> {
    signal?.throwIfAborted();
    const stream = this.#open().request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: `/spark.connect.SparkConnectService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...this.#options.headers,
    });
    let status: number | undefined;
    let text = '';
    const note = (headers: Readonly<Record<string, unknown>>) => {
      if (headers['grpc-status'] === undefined) return;
      status = Number(headers['grpc-status']);
      text = decoded(String(headers['grpc-message'] ?? ''));
    };
    stream.on('response', (headers) => {
      note(headers);
      const answered = Number(headers[':status']);
      if (status === undefined && answered !== 200)
        stream.destroy(new Error(`the server answered with HTTP status ${answered}`));
    });
    stream.on('trailers', note);
    const stop = () => stream.close(constants.NGHTTP2_CANCEL);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (const each of messages) {
        const frame = Buffer.allocUnsafe(5 + each.length);
        frame[0] = 0;
        frame.writeUInt32BE(each.length, 1);
        frame.set(each, 5);
        if (!stream.write(frame))
          await new Promise<void>((resolve, reject) => {
            const done = () => {
              stream.off('drain', done).off('close', done).off('error', reject);
              resolve();
            };
            stream.once('drain', done).once('close', done).once('error', reject);
          });
      }
      stream.end();
      yield* unframed(stream);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof GrpcError) throw error;
      if (status === undefined)
        throw new GrpcError(grpcStatus.unavailable, `The connection failed: ${(error as Error).message}.`);
    } finally {
      signal?.removeEventListener('abort', stop);
      if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
    }
    signal?.throwIfAborted();
    if (status === undefined) throw new GrpcError(grpcStatus.unavailable, 'The connection was lost.');
    if (status !== 0) throw new GrpcError(status, text);
  }

  /** Calls a method that takes one message, or several, and answers with one. */
  async ask(method: string, messages: Iterable<Uint8Array>, signal?: AbortSignal): Promise<Buffer> {
    let answer: Buffer | undefined;
    for await (const each of this.call(method, messages, signal)) answer = each;
    if (answer === undefined)
      throw new GrpcError(grpcStatus.internal, `${method} was answered with nothing.`);
    return answer;
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(this.#options.origin, { settings: { initialWindowSize: WINDOW } });
    session.on('connect', () => session.setLocalWindowSize(WINDOW));
    // Streams get the error; without a listener it would end the process.
    session.on('error', () => undefined);
    session.on('goaway', () => {
      if (this.#session === session) this.#session = undefined;
    });
    this.#session = session;
    return session;
  }
}

async function* unframed(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  let wanted = 5;
  for await (const chunk of stream) {
    waiting.push(chunk);
    length += chunk.length;
    while (length >= wanted) {
      const bytes = Buffer.concat(waiting);
      if (wanted === 5 && bytes.readUInt32BE(1) > 0) {
        if (bytes[0] !== 0) throw new GrpcError(grpcStatus.internal, 'The server compresses, unasked.');
        wanted = 5 + bytes.readUInt32BE(1);
        waiting = [bytes];
        continue;
      }
      yield bytes.subarray(5, wanted);
      waiting = [bytes.subarray(wanted)];
      length = bytes.length - wanted;
      wanted = 5;
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
