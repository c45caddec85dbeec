import type { Readable, Writable } from 'node:stream';

/** Rows of text fields between tabs, as Spark writes them to a script. A field of null is `\N`. */
export async function* textRows(
  input: Readable,
  seen: () => void = () => undefined,
): AsyncGenerator<string[]> {
  let waiting: Buffer[] = [];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    seen();
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      const last = chunk.subarray(begin, end);
      const line = waiting.length === 0 ? last : Buffer.concat([...waiting, last]);
      waiting = [];
      begin = end + 1;
      yield line.toString('utf8').split('\t');
    }
    if (begin < chunk.length) waiting.push(chunk.subarray(begin));
  }
  if (waiting.length > 0) yield Buffer.concat(waiting).toString('utf8').split('\t');
}

/**
 * Writes rows and waits where nobody reads: a loop that tries again would hold a core for as long as the pipe
 * is full, which after a failed stage is for ever.
 */
export class RowWriter {
  readonly #output: Writable;
  readonly #seen: () => void;

  constructor(output: Writable, seen: () => void = () => undefined) {
    this.#output = output;
    this.#seen = seen;
  }

  async write(...fields: readonly string[]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#output.write(`${fields.join('\t')}\n`, (error) => (error ? reject(error) : resolve()));
    });
    this.#seen();
  }
}
