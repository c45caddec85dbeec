/**
 * The safetensors format: 8 bytes with the length of a JSON header, the header, then the tensors' bytes, all
 * little-endian and row-major. Python's `safetensors` and this file read each other's output.
 */
export type TensorData = Float32Array | Float64Array | Int32Array;

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** Bytes that are not a well-formed safetensors file. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';
  readonly kind = 'data';
}

const elementBytes = { F32: 4, F64: 8, I32: 4 } as const;
type Dtype = keyof typeof elementBytes;

interface HeaderEntry {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/**
 * Encodes tensors in the order of their names, so that equal tensors give equal bytes. The header is padded
 * with spaces to a multiple of 8 and wide elements come first, so every tensor starts aligned. O(total
 * bytes).
 */
export function encodeTensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const names = Object.keys(tensors).sort((a, b) => {
    const byWidth = tensors[b].data.BYTES_PER_ELEMENT - tensors[a].data.BYTES_PER_ELEMENT;
    return byWidth !== 0 ? byWidth : a < b ? -1 : 1;
  });
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header['__metadata__'] = metadata;
  let offset = 0;
  for (const name of names) {
    const { shape, data } = tensors[name];
    if (elementCount(shape) !== data.length) {
      throw new SafetensorsError(
        `Tensor ${name} has ${data.length} values; its shape [${shape}] needs ${elementCount(shape)}.`,
      );
    }
    header[name] = { dtype: dtypeOf(data), shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  let text = JSON.stringify(header);
  text += ' '.repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8);
  const headerBytes = new TextEncoder().encode(text);
  const bytes = new Uint8Array(8 + headerBytes.length + offset);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes.length), true);
  bytes.set(headerBytes, 8);
  let at = 8 + headerBytes.length;
  for (const name of names) {
    const { data } = tensors[name];
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/**
 * Decodes and checks everything the format promises: sizes agree, no gaps, no overlaps, nothing left over.
 */
export function decodeTensors(bytes: Uint8Array): Record<string, Tensor> {
  if (bytes.length < 8) throw new SafetensorsError(`The file has ${bytes.length} bytes; a header needs 8.`);
  const headerLength = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (headerLength > bytes.length - 8) {
    throw new SafetensorsError(
      `The header claims ${headerLength} bytes and ${bytes.length - 8} follow. The file is cut short.`,
    );
  }
  const start = 8 + headerLength;
  const entries = Object.entries(parseHeader(bytes.subarray(8, start)))
    .filter(([name]) => name !== '__metadata__')
    .map(([name, entry]) => [name, checkedEntry(name, entry)] as const)
    .sort(([, a], [, b]) => a.data_offsets[0] - b.data_offsets[0]);
  // Without a prototype: a tensor may be called anything, "__proto__" too.
  const tensors: Record<string, Tensor> = Object.create(null);
  let expected = 0;
  for (const [name, { dtype, shape, data_offsets }] of entries) {
    const [from, to] = data_offsets;
    if (from !== expected || to - from !== elementCount(shape) * elementBytes[dtype]) {
      throw new SafetensorsError(
        `Tensor ${name} lies at [${from}, ${to}); expected to start at ${expected} and hold [${shape}] ${dtype}.`,
      );
    }
    if (start + to > bytes.length) {
      throw new SafetensorsError(`Tensor ${name} ends after the file does. The file is cut short.`);
    }
    // A copy: aligned whatever the header's length, and independent of the caller's buffer. (Not `slice`: a
    // Node Buffer's does not copy.)
    const copy = new Uint8Array(to - from);
    copy.set(bytes.subarray(start + from, start + to));
    tensors[name] = { shape, data: viewOf(dtype, copy.buffer) };
    expected = to;
  }
  if (start + expected !== bytes.length) {
    throw new SafetensorsError(`${bytes.length - start - expected} bytes after the last tensor.`);
  }
  return tensors;
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new SafetensorsError('The header is not JSON.');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header)) {
    throw new SafetensorsError('The header is not a JSON object.');
  }
  return header as Record<string, unknown>;
}

function checkedEntry(name: string, entry: unknown): HeaderEntry {
  const { dtype, shape, data_offsets } = (entry ?? {}) as Partial<HeaderEntry>;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  if (
    typeof dtype !== 'string' ||
    !Object.hasOwn(elementBytes, dtype) ||
    !Array.isArray(shape) ||
    !shape.every(isCount) ||
    !Array.isArray(data_offsets) ||
    data_offsets.length !== 2 ||
    !data_offsets.every(isCount)
  ) {
    throw new SafetensorsError(`Tensor ${name}: dtype, shape or offsets are missing or not supported.`);
  }
  return { dtype, shape, data_offsets };
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function dtypeOf(data: TensorData): Dtype {
  return data instanceof Float32Array ? 'F32' : data instanceof Float64Array ? 'F64' : 'I32';
}

function viewOf(dtype: Dtype, buffer: ArrayBuffer): TensorData {
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer);
    case 'F64':
      return new Float64Array(buffer);
    case 'I32':
      return new Int32Array(buffer);
    default:
      return dtype satisfies never;
  }
}
