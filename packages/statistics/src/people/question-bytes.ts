/** Something in a question, or in bytes that should be one, that cannot be sent. */
export class QuestionFormatError extends TypeError {
  override readonly name = 'QuestionFormatError';
}

/** Typed arrays that may be in a question, by the byte that stands for them. */
const arrayTypes = [
  Float64Array,
  Float32Array,
  Uint32Array,
  Int32Array,
  Uint16Array,
  Uint8Array,
  Int8Array,
] as const;

// Bytes before values. Typed arrays follow: firstArray + their place in the list.
const [none, no, yes, number, string, list, record, firstArray] = [0, 1, 2, 3, 4, 5, 6, 16];

/**
 * What people are asked (`published` of `People.sum`) as bytes, for workers in other processes: null, truth
 * values, numbers, strings, lists, plain objects and typed arrays, little-endian. Equal questions give equal
 * bytes. O(size).
 *
 * @throws QuestionFormatError for anything else (functions, instances of classes), with its place
 */
export function encodeQuestion(question: unknown): Uint8Array {
  const writer = new Writer();
  writer.value(question, 'the question');
  return writer.bytes();
}

/** @throws QuestionFormatError where the bytes were not made by `encodeQuestion`, or were cut */
export function decodeQuestion(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const question = reader.value();
  reader.end();
  return question;
}

class Writer {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  value(value: unknown, place: string): void {
    if (value === null) this.#tag(none);
    else if (typeof value === 'boolean') this.#tag(value ? yes : no);
    else if (typeof value === 'number') {
      this.#tag(number);
      this.#add(new Uint8Array(Float64Array.of(value).buffer));
    } else if (typeof value === 'string') {
      this.#tag(string);
      this.#text(value);
    } else if (Array.isArray(value)) {
      this.#tag(list);
      this.#count(value.length);
      value.forEach((each, at) => {
        this.value(each, `${place}[${at}]`);
      });
    } else if (ArrayBuffer.isView(value)) this.#array(value, place);
    else this.#record(value, place);
  }

  #array(value: ArrayBufferView, place: string): void {
    const type = arrayTypes.findIndex((each) => value instanceof each);
    if (type < 0)
      throw new QuestionFormatError(`${place} is a ${value.constructor.name}; it cannot be sent.`);
    this.#tag(firstArray + type);
    this.#count(value.byteLength);
    this.#add(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }

  #record(value: unknown, place: string): void {
    const isPlain =
      typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
    if (!isPlain) throw new QuestionFormatError(`${place} is no plain data; it cannot be sent.`);
    const entries = Object.entries(value as object);
    this.#tag(record);
    this.#count(entries.length);
    for (const [name, each] of entries) {
      this.#text(name);
      this.value(each, `${place}.${name}`);
    }
  }

  #text(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.#count(bytes.length);
    this.#add(bytes);
  }

  #tag(tag: number): void {
    this.#add(Uint8Array.of(tag));
  }

  #count(count: number): void {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, count, true);
    this.#add(bytes);
  }

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  value(): unknown {
    const [tag] = this.#take(1);
    if (tag === none) return null;
    if (tag === no || tag === yes) return tag === yes;
    if (tag === number) return new Float64Array(this.#take(8).buffer)[0];
    if (tag === string) return this.#text();
    if (tag === list) return Array.from({ length: this.#count(1) }, () => this.value());
    if (tag === record) return this.#record();
    const type = arrayTypes[tag - firstArray];
    if (type === undefined) throw new QuestionFormatError(`A question cannot have a value of kind ${tag}.`);
    const length = this.#count(1);
    if (length % type.BYTES_PER_ELEMENT !== 0)
      throw new QuestionFormatError('A question has half a number in it.');
    return new type(this.#take(length).buffer);
  }

  #record(): object {
    const entries = Array.from({ length: this.#count(5) }, () => [this.#text(), this.value()] as const);
    // fromEntries defines properties: no name can reach the prototype.
    return Object.fromEntries(entries);
  }

  #text(): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.#take(this.#count(1)));
  }

  /**
   * A number of things of at least `size` bytes each: more than there is room for is refused before anything
   * is made.
   */
  #count(size: number): number {
    const count = new DataView(this.#take(4).buffer).getUint32(0, true);
    if (count * size > this.#bytes.length - this.#at) throw cut();
    return count;
  }

  /** A copy, so that arrays of any type may begin at its start. */
  #take(length: number): Uint8Array<ArrayBuffer> {
    if (length > this.#bytes.length - this.#at) throw cut();
    this.#at += length;
    return new Uint8Array(this.#bytes.subarray(this.#at - length, this.#at));
  }

  end(): void {
    if (this.#at !== this.#bytes.length)
      throw new QuestionFormatError(`A question has ${this.#bytes.length - this.#at} bytes too many.`);
  }
}

function cut(): QuestionFormatError {
  return new QuestionFormatError('A question was cut short.');
}
