import { expect, it } from 'vitest';
import type { EventStream } from '../event-stream.js';
import type { Run } from '../state/run.js';
import { tellRun } from './run-events.js';

const run = (status: Run['status']) => ({ status }) as Run;

/** A reader who takes everything, and what it was sent. */
function reader() {
  const sent: string[] = [];
  const gone = new AbortController();
  const stream: EventStream = {
    gone: gone.signal,
    send: async (_event, data) => sent.push(data) > 0,
    keepAlive: async () => true,
  };
  return { sent, gone, stream };
}

it('tells of a run that ended while it was being read', async () => {
  const { sent, stream } = reader();
  let notify: (run: Run) => void = () => {};
  const followed = {
    // The answer was fetched before the end, and comes after it.
    read: async () => {
      const before = run('running');
      notify(run('done'));
      return before;
    },
    watch: (listener: (run: Run) => void) => {
      notify = listener;
      return () => {};
    },
    inWords: ({ status }: Run) => status,
  };
  await tellRun(stream, followed, []);
  expect(sent).toEqual(['done']);
});

it('reads after it has begun to watch, and stops watching at the end', async () => {
  const { sent, stream } = reader();
  const order: string[] = [];
  const followed = {
    read: async () => {
      order.push('read');
      return run('failed');
    },
    watch: () => {
      order.push('watch');
      return () => order.push('unwatch');
    },
    inWords: ({ status }: Run) => status,
  };
  await tellRun(stream, followed, []);
  expect(order).toEqual(['watch', 'read', 'unwatch']);
  expect(sent).toEqual(['failed']);
});

it('ends with its reader, and with the server', async () => {
  const followed = { read: async () => run('running'), watch: () => () => {}, inWords: () => '' };
  const { gone, stream } = reader();
  const toReader = tellRun(stream, followed, []);
  gone.abort();
  await toReader;
  const closing = new AbortController();
  const toOther = tellRun(reader().stream, followed, [closing.signal]);
  setTimeout(() => closing.abort(), 10);
  await toOther;
});
