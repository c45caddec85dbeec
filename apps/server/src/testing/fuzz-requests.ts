import { connect } from 'node:net';
import { SeededRandom } from '@hushrec/ratings';

export interface FuzzResult {
  readonly rounds: number;
  /** How often each status came back; 0 stands for a connection closed without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that were answered with 5xx, with something that must not leave the server, or not at all. */
  readonly faults: readonly string[];
}

const methods = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'get',
  'BREW',
  '',
  'G\tT',
];
const paths = [
  '/',
  '/api/models',
  '/api/models/sample-eps-1',
  '/api/models/sample-eps-1/items',
  '/api/models/sample-eps-1/similar',
  '/models/sample-eps-1/model.json',
  '/api/runs',
  '/api/plans',
  '/api/datasets',
  '/api/ledger',
  '/api/methods',
  '/api/comparisons',
  '/metrics',
  '/healthz',
  '/api/runs/00000000-0000-4000-8000-000000000000',
  '/api/runs/00000000-0000-4000-8000-000000000000/stop',
  '/api/runs/00000000-0000-4000-8000-000000000000/events',
  '/api/openapi.json',
  '/api/whoami',
];
const pieces = [
  '..',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  '%zz',
  '//',
  '\\',
  '?',
  '#',
  '{',
  '}',
  '"',
  "'",
  '<script>',
  '🙂',
  'é',
  ';',
  '&',
  '=',
  'a'.repeat(300),
  '__proto__',
  'constructor',
  'NaN',
  '-1',
  '1e999',
  '../../../etc/passwd',
];
const bodies = [
  '',
  '{',
  '}',
  'null',
  '[]',
  '"x"',
  '1e999',
  '{"a":',
  '{"__proto__":{"x":1}}',
  '\u0000',
  '{"dataset":"sample"}',
  '{"dataset":"sample","model":"x","method":"dpals","epsilon":-1,"delta":0.1,"settings":{}}',
  '{"dataset":"sample","model":"x","method":"als","settings":{"rank":"1e999"}}',
  '{"dataset":"../sample","method":"als","settings":{},"model":"x"}',
  '{"dataset":"sample","method":"als","settings":[],"model":"x"}',
  '{"dataset":"sample","model":"x","method":"constructor","settings":{}}',
  '{"dataset":"sample","model":"x","method":"als","settings":{"constructor":1,"toString":2}}',
  `{"dataset":"${'x'.repeat(70_000)}"}`,
  `${'['.repeat(5000)}`,
  '{"epsilon":NaN}',
  '\uFEFF{}',
];
const types = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  '',
  'a/b/c',
  'application/json\u00e9',
];
/** Where this code is on this machine. */
const repository = new URL('../../../..', import.meta.url).pathname;
const leaks = /\/(?:home|root|tmp|usr|etc)\/|at .*\.(?:ts|js):\d+|node_modules|SQLITE|ECONN|postgres:\/\//;

/**
 * Sends malformed requests, byte by byte as they are, and looks at every answer: never 5xx, never a path of
 * this machine, a stack or a database's message; and never a connection on which nothing comes and that is
 * not closed. The seed makes a finding repeatable.
 */
export async function fuzzRequests(options: {
  readonly port: number;
  readonly token: string;
  readonly rounds: number;
  readonly seed: number;
  readonly parallel?: number;
}): Promise<FuzzResult> {
  const { port, token, rounds, seed, parallel = 64 } = options;
  const random = new SeededRandom(seed);
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  for (let begin = 0; begin < rounds; begin += parallel) {
    const requests = Array.from({ length: Math.min(parallel, rounds - begin) }, () =>
      malformed(random, port, token),
    );
    const answers = await Promise.all(requests.map((request) => exchange(port, request)));
    for (const [index, answer] of answers.entries()) {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? '0';
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (
        answer === nothing ||
        status.startsWith('5') ||
        (!status.startsWith('2') && (leaks.test(answer) || answer.includes(repository)))
      ) {
        faults.push(
          `${JSON.stringify(requests[index].text.slice(0, 300))} gave ${JSON.stringify(answer.slice(0, 300))}`,
        );
      }
    }
  }
  return { rounds, statuses, faults };
}

interface FuzzedRequest {
  readonly text: string;
  /** It promises more than it sends, so the server waits for the rest. */
  readonly isUnfinished: boolean;
}

/** A request that starts well and is then damaged in one or more places. */
function malformed(random: SeededRandom, port: number, token: string): FuzzedRequest {
  const pick = <T>(from: readonly T[]): T => from[random.below(from.length)];
  const sometimes = (probability: number) => random.uniform() < probability;
  let path = pick(paths);
  if (sometimes(0.6)) {
    const at = random.below(path.length + 1);
    path = path.slice(0, at) + pick(pieces) + path.slice(at);
  }
  if (sometimes(0.3)) path += `?${pick(['q', 'limit', 'x', ''])}=${pick(pieces)}`;
  const method = sometimes(0.7) ? pick(['GET', 'POST']) : pick(methods);
  const body = sometimes(0.6) ? pick(bodies) : '';
  const headers = [`Host: ${sometimes(0.9) ? `127.0.0.1:${port}` : pick(pieces)}`, 'Connection: close'];
  if (sometimes(0.5)) headers.push(`Authorization: Bearer ${token}`);
  else if (sometimes(0.3))
    headers.push(`Authorization: ${pick(['Bearer', 'Basic abc', `Bearer ${pick(pieces)}`, 'Bearer a b'])}`);
  if (body !== '' || sometimes(0.2)) headers.push(`Content-Type: ${pick(types)}`);
  if (body !== '')
    headers.push(
      sometimes(0.85)
        ? `Content-Length: ${Buffer.byteLength(body)}`
        : `Content-Length: ${pick(['-1', 'x', '99999999999999', '5'])}`,
    );
  if (sometimes(0.1)) headers.push(`Transfer-Encoding: ${pick(['chunked', 'gzip', 'x'])}`);
  if (sometimes(0.2))
    headers.push(
      `Range: ${pick(['bytes=-', 'bytes=5-1', 'bytes=a-b', 'bytes=0-99999999999999999999', 'x'])}`,
    );
  if (sometimes(0.1))
    headers.push(`${pick(['X\u0000Y', ': x', 'A B', 'Origin', 'If-None-Match', 'Cookie'])}: ${pick(pieces)}`);
  if (sometimes(0.03)) headers.push(`X-Large: ${'h'.repeat(20_000)}`);
  const version = sometimes(0.95) ? 'HTTP/1.1' : pick(['HTTP/9.9', 'HTTP', '']);
  return {
    text: `${method} ${path} ${version}\r\n${headers.join('\r\n')}\r\n\r\n${body}`,
    isUnfinished: headers.some((each) =>
      /^Content-Length: (5|9{5,})$|^Transfer-Encoding: chunked$/.test(each),
    ),
  };
}

/** Longer than any answer takes on a busy machine; unfinished requests are given up by the server before. */
const longestSilenceMs = 30_000;
const nothing = 'nothing came, and the connection stayed open';

/**
 * Sends bytes and gives back what comes until the server closes; an unfinished request is ended after half a
 * second.
 */
function exchange(port: number, { text, isUnfinished }: FuzzedRequest): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      if (isUnfinished) setTimeout(() => socket.end(), 500);
    });
    const finish = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(longestSilenceMs, () => {
      answer = nothing;
      finish();
    });
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      if (answer.length < 100_000) answer += part;
    });
    socket.on('error', finish);
    socket.on('close', finish);
  });
}
