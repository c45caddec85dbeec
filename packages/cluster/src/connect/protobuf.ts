/**
 * What a field of a message is written from: text, bytes (a message is bytes too), or a whole number ≥ 0;
 * undefined is left out.
 */
export type FieldValue = string | Uint8Array | number | boolean | undefined;

/**
 * A Protocol Buffers message from its fields, in the order given. The few messages of Spark Connect that we
 * need are all made of these two wire types (0: varint, 2: length and bytes), so neither generated code nor a
 * library is needed.
 */
export function message(...fields: readonly (readonly [number, FieldValue])[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (value === undefined) continue;
    if (typeof value === 'number' || typeof value === 'boolean') {
      parts.push(varint(8 * number), varint(Number(value)));
      continue;
    }
    const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
    parts.push(varint(8 * number + 2), varint(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/**
 * A received message. Fields that nobody asks for are ignored, so a newer server is understood as far as it
 * says the same.
 */
export class ReceivedMessage {
  readonly #fields = new Map<number, (number | Buffer)[]>();

  /** @throws RangeError where the bytes are no message */
  constructor(bytes: Uint8Array) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    const readVarint = () => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        if (at >= buffer.length)
          throw new RangeError('A message of the server ends in the middle of a number.');
        const byte = buffer[at++];
        value += (byte % 128) * shift;
        if (byte < 128) return value;
      }
    };
    const readBytes = (length: number) => {
      if (at + length > buffer.length) throw new RangeError('A message of the server is cut short.');
      at += length;
      return buffer.subarray(at - length, at);
    };
    while (at < buffer.length) {
      const tag = readVarint();
      const wire = tag % 8;
      if (wire === 0) this.#put(Math.floor(tag / 8), readVarint());
      else if (wire === 1) readBytes(8);
      else if (wire === 2) this.#put(Math.floor(tag / 8), readBytes(readVarint()));
      else if (wire === 5) readBytes(4);
      else throw new RangeError('A message of the server has a field of an unknown kind.');
    }
  }

  /** Messages of a repeated field, in order. */
  messages(field: number): ReceivedMessage[] {
    return this.#bytes(field).map((bytes) => new ReceivedMessage(bytes));
  }

  /** The message of a field; undefined where it is not there. */
  message(field: number): ReceivedMessage | undefined {
    return this.messages(field).at(-1);
  }

  texts(field: number): string[] {
    return this.#bytes(field).map((bytes) => bytes.toString('utf8'));
  }

  /** '' where it is not there. */
  text(field: number): string {
    return this.texts(field).at(-1) ?? '';
  }

  bytes(field: number): Buffer {
    return this.#bytes(field).at(-1) ?? Buffer.alloc(0);
  }

  /** 0 where it is not there. Exact up to 2⁵³. */
  number(field: number): number {
    const value = this.#fields.get(field)?.at(-1);
    return typeof value === 'number' ? value : 0;
  }

  #bytes(field: number): Buffer[] {
    return (this.#fields.get(field) ?? []).filter((value) => typeof value !== 'number');
  }

  #put(field: number, value: number | Buffer): void {
    const before = this.#fields.get(field);
    if (before === undefined) this.#fields.set(field, [value]);
    else before.push(value);
  }
}
