import { describe, expect, it } from 'vitest';
import { firstToEffects } from './first-to-effects.js';
import type { PrivateMethod } from './paper-settings.js';

const at = (epsilon: number | null) => ({
  epsilon,
  low: epsilon && epsilon * 0.95,
  high: epsilon && epsilon * 1.05,
});
const rows = (input: number | null, als: number | null) => [
  { method: 'input-perturbation' as const, published: 12.5, measured: at(input) },
  { method: 'private-als' as const, published: 20, measured: at(als) },
];

describe('firstToEffects', () => {
  it('asks for nothing more where the first is as published', async () => {
    const findings = await firstToEffects('ml-100k', rows(11, null), () => {
      throw new Error('not needed');
    });
    expect(findings).toMatchObject([{ holds: true, measured: 11, published: 12.5 }]);
    expect(findings[0].note).toContain('private-als never');
  });

  it('measures both again with what the appendix says where it is not', async () => {
    const asked: [PrivateMethod, object][] = [];
    const findings = await firstToEffects('ml-100k', rows(11.4, 10.4), async (method, changes) => {
      asked.push([method, changes]);
      return at(method === 'private-als' && 'rounds' in changes ? 14 : 13.5);
    });
    expect(findings.map(({ holds }) => holds)).toEqual([false, true, true]);
    expect(asked[0]).toEqual(['input-perturbation', {}]);
    expect(asked[1]).toEqual(['private-als', { rounds: 10 }]);
    expect(findings[1].note).toMatch(/intervals overlap/);
  });
});
