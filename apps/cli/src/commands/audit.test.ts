import { describe, expect, it } from 'vitest';
import { exitCodes } from '../exit-codes.js';
import { runCommand as run } from '../run-command.test.data.js';

describe('hushrec audit --without-clips', () => {
  // Power: with the clips removed no guess fails. Without an error in 60 runs an arm both error rates are
  // below 0.18 at this confidence, which shows μ ≥ 1.8 and ε above 8, where 3 is claimed.
  it.each(['dpals', 'dp-cmf', 'am-ssp', 'am-dpsgd', 'dp-sgd', 'hush'])(
    'shows that the audit of %s would notice a forgotten clip',
    async (method) => {
      const { code, json } = await run(
        ...['audit', method, '--without-clips', '--epsilon', '3', '--runs', '60', '--json'],
      );
      expect(json).toMatchObject({ method, noticed: true, ok: false });
      expect(json.lowerBound).toBeGreaterThan(json.claimed);
      expect(json.claimed).toBeCloseTo(3, 3);
      expect(json.widenedClips.length).toBeGreaterThan(0);
      expect(code).toBe(exitCodes.done);
    },
  );

  it('says what was removed and what that showed', async () => {
    const { text } = await run('audit', 'dp-svd', '--without-clips', '--epsilon', '3', '--runs', '60');
    expect(text).toMatch(/^Clips removed on purpose: rowBound 5 → 5000; plan and noise as before\.$/m);
    expect(text).toMatch(/^ok {6}far-out: noise has the planned law/m);
    expect(text).toMatch(/^The audit notices: lower bound ε ≥ \S+ > claim ε = 3 at δ = 1e-6\.$/m);
  });

  // Without an error in 10 runs an arm the rates are bounded by 0.8 at this confidence, so nothing can be
  // shown, whatever was removed.
  it('fails when it does not notice', async () => {
    const { code, text } = await run(
      ...['audit', 'dp-svd', '--without-clips', '--runs', '10', '--confidence', '0.9999999'],
    );
    expect(text).toMatch(/does NOT notice/);
    expect(code).toBe(exitCodes.failed);
  });

  it('refuses methods without declared clips, and one run', async () => {
    const undeclared = await run('audit', 'ldpicf', '--without-clips');
    expect(undeclared.code).toBe(exitCodes.wrongUsage);
    expect(undeclared.errors).toMatch(/clips of ldpicf cannot be removed/);
    const once = await run('audit', 'dpals', '--without-clips', '--one-run', '20');
    expect(once.code).toBe(exitCodes.wrongUsage);
  });
});

describe('hushrec audit', () => {
  // 20 runs an arm without an error bound both rates by 0.45 at this confidence: nothing is shown at ε = 1.
  it('says what its runs could have shown, and what to run where that is nothing', async () => {
    const { json } = await run('audit', 'dp-svd', '--epsilon', '1', '--runs', '20', '--json');
    expect(json.power.atClaim).toBe(0);
    expect(json.power.most).toBeGreaterThan(json.power.atClaim);
    expect(json.power.most).toBeGreaterThanOrEqual(json.lowerBound);
    const weak = await run('audit', 'dp-svd', '--epsilon', '1', '--runs', '20');
    expect(weak.text).toMatch(/shows at most ε ≥ \S+, and about 0 where .* --epsilon 10/);
    const strong = await run('audit', 'dp-svd', '--epsilon', '10', '--runs', '200');
    expect(strong.text).toMatch(/shows at most ε ≥ \S+, and about \S+ where the claim is exactly true\.$/m);
  });

  it('says where a check could not look, instead of passing', async () => {
    const { code, text } = await run('audit', 'dp-svd', '--runs', '10');
    expect(text).toMatch(
      /^unseen {2}far-out: noise is independent: no two parts of one length with added noise$/m,
    );
    expect(code).toBe(exitCodes.done);
  });
});
