import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { oneAtATime } from './one-at-a-time.js';

let server: Server | undefined;
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())));

/** What comes back for so many requests sent at once, and how many were being answered at a time. */
async function sentAhead(count: number, mostWaiting: number) {
  let active = 0;
  let most = 0;
  server = createServer(
    oneAtATime((request, response) => {
      most = Math.max(most, ++active);
      setTimeout(() => {
        active--;
        response.end(`<${request.url}>`);
      }, 2);
    }, mostWaiting),
  );
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const requests = Array.from({ length: count }, (_, k) => {
    const last = k === count - 1 ? 'connection: close\r\n' : '';
    return `GET /${k} HTTP/1.1\r\nhost: x\r\n${last}\r\n`;
  });
  socket.write(requests.join(''));
  let text = '';
  socket.on('data', (data) => (text += data)).on('error', () => {});
  await new Promise((done) => socket.once('close', done));
  return { answered: [...text.matchAll(/<\/(\d+)>/g)].map(([, number]) => Number(number)), most };
}

it('answers what was sent ahead in order, one after the other', async () => {
  const { answered, most } = await sentAhead(12, 16);
  expect(answered).toEqual(Array.from({ length: 12 }, (_, k) => k));
  expect(most).toBe(1);
});

it('cuts off whoever sends more ahead than may wait', async () => {
  const { answered, most } = await sentAhead(200, 16);
  expect(answered.length).toBeLessThanOrEqual(1);
  expect(most).toBe(1);
});
