import { open } from 'node:fs/promises';
import {
  AnswerMismatchError,
  type ReleaseAnswers,
  type ReleasedValue,
  type ReleaseRequest,
  requestText,
} from '@hushrec/privacy';

const MAGIC = 'hushrec-releases-1\n';

/** A log of releases that cannot be read, and where. */
export class ReleaseLogError extends Error {
  override readonly name = 'ReleaseLogError';
  readonly kind = 'data';
  constructor(position: number, reason: string) {
    super(`The log of releases cannot be read at byte ${position}: ${reason}`);
  }
}

/**
 * Everything a run released, on disk as it is made: for each release a length (4 bytes), the request as JSON,
 * and the released numbers as they lie in memory. Publishing it costs nothing beyond the run itself.
 */
export interface ReleaseLog {
  write(request: ReleaseRequest, value: ReleasedValue): Promise<void>;
  close(): Promise<void>;
}

export async function createReleaseLog(file: string): Promise<ReleaseLog> {
  const handle = await open(file, 'w', 0o600);
  await handle.write(MAGIC);
  return {
    async write(request, value) {
      const header = Buffer.from(
        JSON.stringify({
          request: JSON.parse(requestText(request)) as unknown,
          kind: value.kind,
          count: value.kind === 'choice' ? value.index : value.values.length,
        }),
      );
      const length = Buffer.alloc(4);
      length.writeUInt32LE(header.length);
      const arrays =
        value.kind === 'choice'
          ? []
          : value.kind === 'cells'
            ? [value.columns, value.values]
            : [value.values];
      for (const part of [length, header, ...arrays.map(bytesOf)]) await handle.write(part);
    },
    async close() {
      await handle.sync();
      await handle.close();
    },
  };
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The releases of a log, in the order in which they were made. */
export function* readReleaseLog(
  bytes: Uint8Array,
): Generator<{ readonly request: ReleaseRequest; readonly value: ReleasedValue }> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.subarray(0, MAGIC.length).toString('latin1') !== MAGIC)
    throw new ReleaseLogError(0, 'it does not begin like one.');
  let at = MAGIC.length;
  const take = (length: number): Buffer => {
    if (!(length >= 0 && at + length <= buffer.length)) throw new ReleaseLogError(at, 'it is cut short.');
    at += length;
    return buffer.subarray(at - length, at);
  };
  while (at < buffer.length) {
    const start = at;
    const header = take(take(4).readUInt32LE());
    let parsed: { request: ReleaseRequest; kind: ReleasedValue['kind']; count: number };
    try {
      parsed = JSON.parse(header.toString('utf8')) as typeof parsed;
    } catch {
      throw new ReleaseLogError(start, 'a release has no readable description.');
    }
    const { request, kind, count } = parsed;
    if (!Number.isInteger(count) || count < 0) throw new ReleaseLogError(start, 'a release has no size.');
    switch (kind) {
      case 'numbers':
        yield { request, value: { kind, values: new Float64Array(copyOf(take(8 * count))) } };
        break;
      case 'bits':
        yield { request, value: { kind, values: new Uint8Array(copyOf(take(count))) } };
        break;
      case 'choice':
        yield { request, value: { kind, index: count } };
        break;
      case 'cells': {
        const columns = new Uint32Array(copyOf(take(4 * count)));
        yield { request, value: { kind, columns, values: new Float64Array(copyOf(take(8 * count))) } };
        break;
      }
      default:
        throw new ReleaseLogError(start, `a release is of an unknown kind.`);
    }
  }
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Answers a run from a log, release by release in any order; `leftOver` is what was never asked for. */
export function answersFromLog(bytes: Uint8Array): ReleaseAnswers & { leftOver(): number } {
  const made = new Map<string, ReleasedValue>();
  for (const { request, value } of readReleaseLog(bytes)) made.set(requestText(request), value);
  return {
    async answer(request) {
      const text = requestText(request);
      const value = made.get(text);
      if (value === undefined) throw new AnswerMismatchError(request, 'the log does not hold this.');
      made.delete(text);
      return value;
    },
    leftOver: () => made.size,
  };
}
