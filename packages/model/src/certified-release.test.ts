import type { PrivacyEvent, PrivacyRecord } from '@hushrec/privacy';
import { describe, expect, it } from 'vitest';
import { CertifiedReleaseError, certifiedReleases, eventOfReleases } from './certified-release.js';

function recordOf(event: PrivacyEvent): PrivacyRecord {
  const plan = {
    unit: 'user',
    relation: 'add-remove',
    released: 'sums',
    epsilon: 1,
    delta: 1e-6,
    accountant: 'pld',
    releases: [],
  } as const;
  return { plan, simulation: false, releases: [{ name: 'x', count: 3, event }], event };
}

const events: readonly PrivacyEvent[] = [
  { kind: 'gaussian', sensitivity: 2, noise: 3 },
  { kind: 'gaussian', sensitivity: 2, noise: 3, gridSigma: 2048 },
  { kind: 'laplace', sensitivity: 2, noise: 3 },
  { kind: 'laplace', sensitivity: 2, noise: 3, gridScale: 77 },
  { kind: 'k-norm', sensitivity: 2, noise: 3, dimension: 5 },
  { kind: 'pure', mechanism: 'randomised response', epsilon: 0.5 },
  { kind: 'poisson-sampled-gaussian', rate: 0.1, sensitivity: 2, noise: 3 },
  { kind: 'poisson-sampled-gaussian', rate: 0.1, sensitivity: 2, noise: 3, gridSigma: 2048 },
  { kind: 'sampler-distance', totalVariation: 1e-40 },
  { kind: 'non-private', because: 'exact counts' },
];

describe('the lines of a certificate', () => {
  it.each(events)('stand for the event they were made from: $kind', (event) => {
    const [line] = certifiedReleases({ ...recordOf(event), event: { kind: 'composed', events: [] } });
    expect(eventOfReleases([line])).toEqual({
      kind: 'composed',
      events: [{ kind: 'repeated', event, count: 3 }],
    });
  });

  it('add what was charged besides the planned releases', () => {
    const record = recordOf(events[0]);
    const distance = { kind: 'sampler-distance', totalVariation: 1e-40 } as const;
    const lines = certifiedReleases({
      ...record,
      event: { kind: 'composed', events: [events[0], distance] },
    });
    expect(lines.map(({ mechanism }) => mechanism)).toEqual(['gaussian', 'sampler-distance']);
    // Spelled as all labels are (tools/notation-page.test.ts).
    expect(lines[1].name).toBe('sampler-inexactness');
  });

  it('are refused where a number is missing or an event has no line', () => {
    const line = { name: 'x', mechanism: 'k-norm', sensitivity: 1, noise: 1, count: 1 };
    expect(() => eventOfReleases([line])).toThrow(/has no dimension/);
    expect(() => certifiedReleases(recordOf({ kind: 'composed', events: [] }))).toThrow(
      CertifiedReleaseError,
    );
  });
});
