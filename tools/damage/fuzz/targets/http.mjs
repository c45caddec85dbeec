// Malformed requests against a server with sample models: never 5xx, nothing of this machine in an answer,
// and it lives on.
import { fuzzRequests } from '../../../../apps/server/dist/testing/fuzz-requests.js';
import { startTestServer } from '../../../../apps/server/dist/testing/test-server.test.data.js';
import { inputsOf } from '../targets.mjs';

/** At once: what waits for the rest of a request waits beside the others. */
const count = inputsOf('http');
const plenty = { burst: 1e9, perSecond: 1e9 };

export async function prepare() {
  const server = await startTestServer({
    limits: { wrongTokens: plenty, starts: plenty, requests: plenty, requestMs: 2000 },
  });
  return {
    attempt: async (random) => {
      const { faults } = await fuzzRequests({
        port: server.port,
        token: server.operatorToken,
        rounds: count,
        parallel: count,
        seed: random.below(2 ** 31),
      });
      if (faults.length > 0) return `! ${faults[0].slice(0, 300)}`;
      const health = await server.ask('/readyz');
      return health.status === 200
        ? `batches of ${count} answered`
        : `! not ready afterwards: ${health.status}`;
    },
    close: () => server.close(),
  };
}
