import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventStream, eventStreamResponse, sendEventStreams } from './event-stream.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());

/** A server whose only answer is a stream of events; its address. */
async function serve(tell: (stream: EventStream) => Promise<void>, streamStallMs = 5000): Promise<string> {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.res.headers.set('x-frame-options', 'DENY');
  });
  app.get('/', (c) => eventStreamResponse(c.env as never, tell));
  const fetch = sendEventStreams(app.fetch as never, { streamStallMs });
  server = createAdaptorServer({ fetch: fetch as never, createServer }) as Server;
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a stream of events', () => {
  it('comes with the headers of every layer, and ends', async () => {
    const url = await serve(async (stream) => {
      await stream.send('run', '{"a":1}');
      await stream.keepAlive();
    });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(await response.text()).toBe('event: run\ndata: {"a":1}\n\n: still here\n\n');
  });

  it('tells nothing to whoever asks for headers alone, and gives its place back', async () => {
    let told: boolean | undefined;
    const url = await serve(async (stream) => {
      told = await stream.send('run', '{}');
    });
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(told).toBe(false);
  });

  it('is cut where telling fails, so that nobody takes it for the end, and others are answered', async () => {
    let asked = 0;
    const url = await serve(async (stream) => {
      await stream.send('run', '{}');
      if (asked++ === 0) throw new Error('the list of runs is damaged');
    });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    expect(await (await fetch(url)).text()).toBe('event: run\ndata: {}\n\n');
  });

  it('lets a reader go who takes nothing for the time that is set', async () => {
    const large = 'x'.repeat(1 << 20);
    let sent = 0;
    const ended = new Promise<void>((resolve) => {
      void serve(async (stream) => {
        while (await stream.send('run', large)) sent++;
        stream.gone.addEventListener('abort', () => resolve());
      }, 200).then((url) => get(url, (response) => response.pause().on('error', () => {})));
    });
    await ended;
    expect(sent).toBeLessThan(100);
  });

  it('holds no memory for what was sent', async () => {
    const used: number[] = [];
    const url = await serve(async (stream) => {
      for (let part = 0; part < 3; part++) {
        for (let k = 0; k < 10_000; k++) {
          await stream.send('run', '{}');
          if (k % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        collectGarbage();
        used.push(process.memoryUsage().heapUsed);
      }
    });
    let bytes = 0;
    for await (const chunk of (await fetch(url)).body!) bytes += chunk.length;
    expect(bytes).toBe(30_000 * 'event: run\ndata: {}\n\n'.length);
    // A promise an event, as in the adapter's own streams, is 100 bytes an event, a megabyte here.
    expect(used[2] - used[1]).toBeLessThan(400_000);
  });
});
