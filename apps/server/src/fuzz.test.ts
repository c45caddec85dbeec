import { expect, it } from 'vitest';
import { fuzzRequests } from './testing/fuzz-requests.js';
import { startTestServer } from './testing/test-server.test.data.js';

// 400 requests here; `npm run fuzz -- --only http --count 400` sends 10,000.
it('answers malformed requests with 4xx, never 5xx, and gives nothing away', async () => {
  const server = await startTestServer({
    limits: { wrongTokens: { burst: 1e6, perSecond: 1e6 }, starts: { burst: 1e6, perSecond: 1e6 } },
  });
  try {
    const result = await fuzzRequests({
      port: server.port,
      token: server.operatorToken!,
      rounds: 400,
      seed: 20,
    });
    expect(result.faults).toEqual([]);
    // Whoever is refused early and goes on sending a large body may find the connection closed: one in a
    // hundred at most.
    expect(result.statuses['0'] ?? 0).toBeLessThanOrEqual(4);
    expect(result.statuses['400'] ?? 0).toBeGreaterThan(20);
    expect(result.statuses['404'] ?? 0).toBeGreaterThan(20);
    expect((await server.ask('/healthz')).status).toBe(200);
  } finally {
    await server.close();
  }
});
