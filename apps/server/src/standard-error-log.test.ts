import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { StandardErrorLog } from './standard-error-log.js';

/** A stream that takes a piece when `take` is called, with or without an error. */
function slowStream() {
  const pieces: string[] = [];
  let waiting: ((error?: Error) => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    autoDestroy: false,
    write(piece: string, _, done) {
      waiting = (error) => {
        waiting = undefined;
        if (error === undefined) pieces.push(piece);
        done(error);
      };
    },
  });
  return { stream, pieces, take: (error?: Error) => waiting?.(error) };
}

it('keeps no more than 4 MiB for a reader that stands still, and tells what is lost', async () => {
  const { stream, pieces, take } = slowStream();
  const log = new StandardErrorLog(stream);
  const line = `${'x'.repeat(1023)}\n`;
  for (let k = 0; k < 10_000; k++) log.write(line);
  expect(stream.writableLength).toBeLessThanOrEqual(4 << 20);
  expect(log.linesLost).toBe(10_000 - 4096);
  while (stream.writableLength > 0) {
    take();
    await new Promise(setImmediate);
  }
  log.write('later\n');
  take();
  expect(pieces.at(-1)).toMatch(/^\{"time":.*"event":"log-lines-lost","lines":5904\}\nlater\n$/);
  expect(pieces.length).toBe(4097);
});

it('counts what could not be written, and says so once it can be again', async () => {
  const pieces: string[] = [];
  let isFull = true;
  const stream = {
    writableLength: 0,
    listeners: () => [],
    on: () => stream,
    write(text: string, done: (error?: Error | null) => void) {
      if (!isFull) pieces.push(text);
      done(isFull ? new Error('ENOSPC') : null);
      return true;
    },
  } as unknown as Writable;
  const log = new StandardErrorLog(stream);
  log.write('a\nb\n');
  log.write('c\n');
  expect(log.linesLost).toBe(3);
  isFull = false;
  log.write('d\n');
  log.write('e\n');
  expect(pieces[0]).toMatch(/"lines":3\}\nd\n$/);
  expect(pieces[1]).toBe('e\n');
});
