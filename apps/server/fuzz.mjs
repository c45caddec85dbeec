// node apps/server/fuzz.mjs [--rounds 10000] [--seed 1]: malformed requests against a fresh server with sample models.
// Exit code 1 when any answer was 5xx or gave something away, or the server did not survive.
import { parseArgs } from 'node:util';
import { fuzzRequests } from './dist/testing/fuzz-requests.js';
import { startTestServer } from './dist/testing/test-server.test.data.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const plenty = { burst: 1e9, perSecond: 1e9 };
const server = await startTestServer({ limits: { wrongTokens: plenty, starts: plenty, requests: plenty } });
const result = await fuzzRequests({
  port: server.port,
  token: server.operatorToken,
  rounds: Number(values.rounds),
  seed: Number(values.seed),
});
const isAlive = (await server.ask('/healthz')).status === 200;
await server.close();
console.log(
  JSON.stringify(
    { ...result, faults: result.faults.slice(0, 10), faultCount: result.faults.length, isAlive },
    null,
    2,
  ),
);
process.exitCode = result.faults.length === 0 && isAlive ? 0 : 1;
