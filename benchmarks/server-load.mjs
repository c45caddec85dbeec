// npm run load [-- --clients 200] [--seconds 10] [--rate 2000] [--streams 50] [--path /api/models]: how many
// requests a second the server answers, and how long they take, while so many event streams follow a training
// job (which works a core as real ones do). The server runs in a process of its own; the clients keep their
// connections. Besides what clients see, the server's own time from request to answer is told: on a machine
// without a core to spare for the clients it is the one that means something. Where others take the server's
// core too, it is told how much of the time the server was ready and had none (Linux): times are then about
// the machine.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  writeSampleDataset,
  writeSampleModels,
} from '../apps/server/dist/testing/sample-models.test.data.js';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    path: { type: 'string', default: '/api/models/sample-eps-1' },
    rate: { type: 'string', default: '0' },
    streams: { type: 'string', default: '0' },
  },
});
const clients = Number(values.clients);
/** Requests a second over all clients; 0 sends as fast as answers come. */
const rate = Number(values.rate);
const folder = mkdtempSync(join(tmpdir(), 'hushrec-load-'));
mkdirSync(join(folder, 'models'));
await writeSampleModels(join(folder, 'models'));
writeSampleDataset(join(folder, 'data'));
// In the place of the command line: works one core and tells its progress twenty times a second, until it is
// stopped.
writeFileSync(
  join(folder, 'command-line.mjs'),
  `export async function main() {
    let isStopped = false;
    process.on('SIGTERM', () => { isStopped = true; });
    for (let round = 1; !isStopped; round++) {
      process.stderr.write(JSON.stringify({ stage: 'training', done: round, total: 1e6 }) + '\\n');
      const end = performance.now() + 45;
      while (performance.now() < end) Math.sqrt(round);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return 130;
  }\n`,
);
const program = fileURLToPath(
  new URL('../apps/server/dist/testing/serve-forever.test.data.js', import.meta.url),
);
const child = spawn(process.execPath, [program, folder, join(folder, 'state.db')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { url, token } = JSON.parse(await firstLine(child.stdout));
const { port } = new URL(url);
const streams = await followTraining(Number(values.streams));

const agent = new Agent({ keepAlive: true, maxSockets: clients });
const times = [];
const errors = new Map();
const count = (what) => errors.set(what, (errors.get(what) ?? 0) + 1);
let reconnected = 0;
const ask = (began = performance.now()) =>
  new Promise((resolve) => {
    const asked = request({ agent, host: '127.0.0.1', port, path: values.path }, (response) => {
      response.on('data', () => {});
      response.on('end', () => {
        if (response.statusCode === 200) times.push(performance.now() - began);
        else count(`status ${response.statusCode}`);
        resolve();
      });
      response.on('error', (error) => {
        count(error.code ?? error.message);
        resolve();
      });
    });
    asked
      .on('error', (error) => {
        // A connection that both sides had left idle may end just when it is used again: clients of HTTP ask
        // once more then.
        if (asked.reusedSocket && error.code === 'ECONNRESET') {
          reconnected++;
          resolve(ask(began));
          return;
        }
        count(error.code ?? error.message);
        resolve();
      })
      .end();
  });

await Promise.all(Array.from({ length: clients }, () => ask())); // connections and caches warm
times.length = 0;
errors.clear();
const before = await serverMetrics();
const waitedBefore = waitedForCore();
const levels = [];
const watching = setInterval(
  async () => levels.push((await serverMetrics()).memory),
  1000 * Math.max(1, Number(values.seconds) / 10),
);
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
clearInterval(watching);
const waited = waitedForCore() - waitedBefore;
const after = await serverMetrics();
const cpu = after.cpu - before.cpu;
const streamsLost = streams.filter(({ isOpen }) => !isOpen()).length;
const eventsSeen = streams.reduce((sum, { events }) => sum + events(), 0);
for (const { close } of streams) close();
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
    errors: Object.fromEntries(errors),
    reconnected,
    medianMs: quantile(0.5),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    // Independent of what else the machine does: processor time of the server for one request.
    serverMicrosecondsPerRequest: Math.round((1e6 * cpu) / times.length),
    // From the server's own histogram: 99 of 100 requests were answered within this.
    serverP99Ms: ownQuantile(0.99),
    // Ready to run, and no core: above a few per cent all times here are those of the machine.
    serverWaitedForCore: `${Math.round((100 * waited) / seconds)} %`,
    streams: streams.length,
    streamsLost,
    eventsSeen,
    memoryBeforeMB: Math.round(before.memory / 1e6),
    memoryMB: levels.map((bytes) => Math.round(bytes / 1e6)),
    memoryAfterMB: Math.round(after.memory / 1e6),
  }),
);
process.exitCode = errors.size === 0 && streamsLost === 0 ? 0 : 1;

/** Starts a training run and follows it by so many event streams. */
async function followTraining(count) {
  if (count === 0) return [];
  const asked = { dataset: 'sample', method: 'als', settings: {}, model: 'under-load' };
  const post = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const { hash: plan } = await post('/api/plans', asked);
  const { id } = await post('/api/runs', { ...asked, plan });
  const follow = () =>
    new Promise((resolve, reject) => {
      let events = 0;
      let isOpen = true;
      const asked = request({ host: '127.0.0.1', port, path: `/api/runs/${id}/events` }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`A stream was refused (${response.statusCode}).`));
        response.on('data', () => events++);
        response.on('close', () => (isOpen = false));
        resolve({ events: () => events, isOpen: () => isOpen, close: () => asked.destroy() });
      });
      asked.on('error', () => (isOpen = false)).end();
    });
  return Promise.all(Array.from({ length: count }, follow));
}

/** The upper end of the bucket that holds this share of the answers between the two looks. */
function ownQuantile(share) {
  const counts = after.buckets.map(([limit, count], index) => [limit, count - before.buckets[index][1]]);
  const total = counts.at(-1)[1];
  return 1000 * counts.find(([, count]) => count >= share * total)[0];
}

/** Seconds that the server's main thread waited for a core; 0 where the system does not tell. */
function waitedForCore() {
  try {
    return Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line;
}

async function serverMetrics() {
  const text = await (await fetch(`${url}/metrics`)).text();
  const gauge = (name) => Number(new RegExp(`^hushrec_${name} (.*)$`, 'm').exec(text)[1]);
  const buckets = [...text.matchAll(/^hushrec_request_seconds_bucket\{le="(.*)"\} (.*)$/gm)];
  return {
    cpu: gauge('cpu_seconds'),
    memory: gauge('resident_memory_bytes'),
    buckets: buckets.map(([, limit, count]) => [limit === '+Inf' ? Infinity : Number(limit), Number(count)]),
  };
}
