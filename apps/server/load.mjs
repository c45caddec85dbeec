// node apps/server/load.mjs [--clients 200] [--seconds 10] [--path /api/models]: how many requests a second the server
// answers, and how long they take. The server runs in a process of its own; the clients keep their connections.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeSampleModels } from './dist/testing/sample-models.test.data.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    path: { type: 'string', default: '/api/models/sample-eps-1' },
    rate: { type: 'string', default: '0' },
  },
});
const clients = Number(values.clients);
/** Requests a second over all clients; 0 sends as fast as answers come. */
const rate = Number(values.rate);
const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
mkdirSync(join(folder, 'models'));
await writeSampleModels(join(folder, 'models'));
const program = fileURLToPath(new URL('dist/testing/serve-forever.test.data.js', import.meta.url));
const child = spawn(process.execPath, [program, folder, join(folder, 'state.db')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { url } = JSON.parse(await firstLine(child.stdout));
const { port } = new URL(url);

const agent = new Agent({ keepAlive: true, maxSockets: clients });
const times = [];
let errors = 0;
const ask = () =>
  new Promise((resolve) => {
    const began = performance.now();
    const failed = () => {
      errors++;
      resolve();
    };
    request({ agent, host: '127.0.0.1', port, path: values.path }, (response) => {
      response.on('data', () => {});
      response.on('end', () => {
        if (response.statusCode === 200) times.push(performance.now() - began);
        else errors++;
        resolve();
      });
      response.on('error', failed);
    })
      .on('error', failed)
      .end();
  });

await Promise.all(Array.from({ length: clients }, ask)); // connections and caches warm
times.length = 0;
errors = 0;
const cpuBefore = await serverCpu();
const began = performance.now();
const end = began + 1000 * Number(values.seconds);
await Promise.all(
  Array.from({ length: clients }, async (_, client) => {
    const pause = rate > 0 ? (1000 * clients) / rate : 0;
    let next = began + (pause * client) / clients;
    while (performance.now() < end) {
      if (pause > 0) {
        const wait = next - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        next += pause;
      }
      await ask();
    }
  }),
);
const seconds = (performance.now() - began) / 1000;
const cpu = (await serverCpu()) - cpuBefore;
const exited = new Promise((resolve) => child.once('exit', resolve));
child.kill('SIGTERM');
await exited;
rmSync(folder, { recursive: true, force: true });
times.sort((a, b) => a - b);
const quantile = (q) =>
  Number((times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? NaN).toFixed(2));
console.log(
  JSON.stringify({
    path: values.path,
    clients,
    requestsPerSecond: Math.round(times.length / seconds),
    errors,
    medianMs: quantile(0.5),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    // Independent of what else the machine does: processor time of the server for one request.
    serverMicrosecondsPerRequest: Math.round((1e6 * cpu) / times.length),
  }),
);
process.exitCode = errors === 0 ? 0 : 1;

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line;
}

async function serverCpu() {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^hushrec_cpu_seconds (.*)$/m.exec(text)[1]);
}
