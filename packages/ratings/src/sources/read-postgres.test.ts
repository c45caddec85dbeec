import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { postgresBlocks } from './read-postgres.js';

const waits = { connecting: 500, answering: 500 };
/** What a server of PostgreSQL says to let somebody in: authentication is ok; ready for a query. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

it.each([
  ['lets nobody in', undefined, 'did not answer in time'],
  ['answers no query', welcome, /did not answer within .* minutes/],
])('gives up a database that %s', async (_, greeting, words) => {
  const open: Socket[] = [];
  const silent = createServer((socket) => {
    open.push(socket);
    if (greeting !== undefined) socket.once('data', () => socket.write(greeting));
  });
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const url = `postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/shop`;
  try {
    await expect(postgresBlocks(url, 'select 1', waits).next()).rejects.toThrow(words);
  } finally {
    for (const socket of open) socket.destroy();
    silent.close();
  }
});
