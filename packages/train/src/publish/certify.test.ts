import { calibrate, type PrivacyRecord, tightestEpsilon } from '@hushrec/privacy';
import { expect, it } from 'vitest';
import { certify } from './certify.js';

const context = {
  method: 'dpals',
  account: 'a'.repeat(32),
  catalogue: 'declared',
  ledgerEntry: null,
  codeVersion: '0',
  tuning: 'none',
} as const;

/** A run of one Gaussian release with this noise. */
function recordWith(noise: number): PrivacyRecord {
  const plan = calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'item vectors',
      releases: [{ name: 'sums', share: 1, sensitivity: 1, count: 1, mechanism: { kind: 'gaussian' } }],
    },
    { epsilon: 1, delta: 1e-6 },
  );
  const event = { kind: 'gaussian', sensitivity: 1, noise } as const;
  return { plan, simulation: false, releases: [{ name: 'sums', count: 1, event }], event };
}

it('states ε rounded up, also where the nearest number of six digits is smaller', () => {
  let below = 0;
  for (let noise = 1; noise < 8; noise += 0.37) {
    const record = recordWith(noise);
    const { epsilon } = tightestEpsilon(record.event, record.plan.delta);
    const stated = certify(record, context).epsilon!;
    expect(stated).toBeGreaterThanOrEqual(epsilon);
    expect(stated).toBeLessThanOrEqual(epsilon * (1 + 1.01e-5));
    if (Number(epsilon.toPrecision(6)) < epsilon) below++;
  }
  // Otherwise the nearest would have passed too.
  expect(below).toBeGreaterThan(3);
});
