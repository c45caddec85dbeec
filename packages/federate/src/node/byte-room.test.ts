import { afterAll, expect, it } from 'vitest';
import { ByteRoom } from './byte-room.js';
import { tlsClient } from './tls-client.js';
import { type RunningServer, serve } from './tls-server.js';

const servers: RunningServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

it('lets in what fits, in the order in which it came', async () => {
  const room = new ByteRoom(10);
  const entered: string[] = [];
  const enter = async (name: string, bytes: number) => {
    const leave = await room.take(bytes);
    entered.push(name);
    return leave;
  };
  const [a, b] = await Promise.all([enter('a', 6), enter('b', 4)]);
  const [c, d] = [enter('c', 8), enter('d', 1)];
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual(['a', 'b']);
  b();
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered, 'who is small does not overtake').toEqual(['a', 'b']);
  a();
  (await c)();
  (await d)();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

it('a server reads no more bodies at a time than there is room for, and all in the end', async () => {
  const bytes = 50_000;
  let inside = 0;
  let most = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const server = await serve(
    async ({ body }) => {
      most = Math.max(most, ++inside);
      await gate;
      inside--;
      return { status: 200, body: String(body.length) };
    },
    { port: 0, mostBytes: bytes, mostBytesAtOnce: 2 * bytes },
  );
  servers.push(server);
  const client = tlsClient();
  const ask = (body: Uint8Array) => client(`http://127.0.0.1:${server.port}/`, { method: 'PUT', body });
  const asked = Array.from({ length: 9 }, () => ask(new Uint8Array(bytes)));
  const tooLong = await ask(new Uint8Array(bytes + 1));
  expect(tooLong.status).toBe(413);
  // Those who send nothing need no room.
  const look = client(`http://127.0.0.1:${server.port}/`, { method: 'GET' });
  while (inside < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(most, 'two bodies and one look').toBe(3);
  release();
  for (const { status } of await Promise.all([...asked, look])) expect(status).toBe(200);
  client.close();
});
