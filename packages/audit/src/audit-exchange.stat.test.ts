import '@hushrec/papers/register';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditExchange, exchangeFaults } from './audit-exchange.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

// False alarm: 3e-5 for the attack, 2e-9 for each law.
describe('an audit of one exchange by all roles but one aggregator', () => {
  it('finds no more than is claimed, and no less than three tenths of it', async () => {
    const { lowerBound, claimed, ok, checks } = await auditExchange(engine, { runs: 300 });
    expect(ok, JSON.stringify(checks)).toBe(true);
    expect(lowerBound).toBeGreaterThan(0.3 * claimed);
  });

  it.each(exchangeFaults)('notices: %s', async (fault) => {
    expect((await auditExchange(engine, { runs: 300, fault })).ok).toBe(false);
  });
});
