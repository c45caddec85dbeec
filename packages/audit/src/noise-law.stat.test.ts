import '@hushrec/papers/register';
import { type Method, methodById, methods } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type NoiseLayout,
  type PlannedMechanism,
  type ReleaseRecorder,
  sensitive,
} from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditMethod } from './audit-method.js';
import { halfTheNoise } from './broken-mechanisms.test.data.js';
import { gammaTails, NoiseLawCheck } from './noise-law-check.js';
import { noisyItemMeans } from './noisy-item-means.test.data.js';
import { observing, replaying } from './transcript.js';

/** A plan of one line, and how it is released. */
interface Case {
  readonly law: string;
  readonly mechanism: PlannedMechanism;
  readonly epsilon: number;
  readonly perPart?: boolean;
  readonly release: (recorder: ReleaseRecorder) => Promise<unknown>;
}

const numbers = (length: number) => Float64Array.from({ length }, (_, at) => (at * 7) % 11);

const adding =
  (norm: 'l1' | 'l2', length: number, layout: NoiseLayout) =>
  async (recorder: ReleaseRecorder): Promise<void> => {
    const open = recorder.begin('x');
    await open.add(0, sensitive(numbers(length), norm, 1), 1, layout);
    open.close();
  };

const cases: readonly Case[] = [
  {
    law: 'Gaussian',
    mechanism: { kind: 'gaussian' },
    epsilon: 2,
    release: adding('l2', 400, { kind: 'vector' }),
  },
  {
    law: 'Gaussian on symmetric matrices',
    mechanism: { kind: 'gaussian' },
    epsilon: 2,
    release: adding('l2', 390, { kind: 'symmetric', width: 12 }),
  },
  {
    law: 'Laplace',
    mechanism: { kind: 'laplace' },
    epsilon: 2,
    release: adding('l1', 400, { kind: 'vector' }),
  },
  {
    law: 'K-norm',
    mechanism: { kind: 'k-norm', dimension: 4 },
    epsilon: 2,
    release: adding('l2', 400, { kind: 'vectors' }),
  },
  {
    law: 'K-norm with bounds of its own for each vector, some of them 0',
    mechanism: { kind: 'k-norm', dimension: 4 },
    epsilon: 2,
    perPart: true,
    release: adding('l2', 400, {
      kind: 'vectors',
      sensitivities: Float64Array.from({ length: 100 }, (_, at) => (at % 4) / 4),
    }),
  },
  {
    law: 'randomised response',
    mechanism: { kind: 'pure', mechanism: 'randomised response' },
    epsilon: 2,
    async release(recorder) {
      const open = recorder.begin('x');
      for (let part = 0; part < 10; part++)
        await open.flip(
          part,
          sensitive(
            Uint8Array.from({ length: 100 }, (_, at) => at % 2),
            'l1',
            1,
          ),
        );
      open.close();
    },
  },
  {
    law: 'thresholded Laplace',
    mechanism: { kind: 'laplace' },
    epsilon: 2,
    async release(recorder) {
      const open = recorder.begin('x');
      for (let part = 0; part < 20; part++) {
        const cells = { columns: Uint32Array.of(3, 7), values: Float64Array.of(1000, -500) };
        await open.thresholdedLaplace(part, sensitive(cells, 'l1', 1), {
          gridStep: 2 ** -10,
          columnCount: 100,
          threshold: 0.6,
          clampTo: 1,
        });
      }
      open.close();
    },
  },
];

async function findingOf(
  { mechanism, epsilon, perPart = false, release }: Case,
  makeRecorder: (plan: CalibratedPlan) => ReleaseRecorder,
) {
  const plan = calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'numbers',
      releases: [{ name: 'x', mechanism, sensitivity: 1, count: 1, share: 1, ...(perPart && { perPart }) }],
    },
    { epsilon, delta: 1e-5 },
  );
  const test = new NoiseLawCheck();
  for (let run = 0; run < 10; run++) {
    const { recorder, transcript } = observing(makeRecorder(plan));
    await release(recorder);
    const { recorder: replayed, exact } = replaying(plan, transcript);
    await release(replayed);
    test.add(plan, transcript, exact);
  }
  expect(test.unseen).toEqual([]);
  return test.worst()!;
}

/** Draws with this share of the planned noise. */
const noiseTimes =
  (factor: number) =>
  (plan: CalibratedPlan): ReleaseRecorder => {
    const other = createRecorder({
      ...plan,
      releases: plan.releases.map((release) => ({ ...release, noise: release.noise * factor })),
    });
    return {
      plan,
      simulation: false,
      stage: (lines) => other.stage(lines),
      begin: (name) => other.begin(name),
      finish: () => other.finish(),
    };
  };

describe.each(cases)('noise of the law: $law', (each) => {
  // False alarm: below 1e-7, since the probability is exact for events and too large for sizes.
  it('is found to be as planned', async () => {
    expect((await findingOf(each, createRecorder)).probability).toBeGreaterThan(1e-7);
  });

  // Power: at least 1000 draws. The weakest is randomised response: 10,000 bits of which 1192 are turned over
  // as planned and 180 at half the noise. Sizes at 0.8 or 1.25 of the scale are 6 or more standard deviations
  // off.
  it.each([0.5, 0.8, 1.25, 2])('is noticed when its scale is %f of the planned one', async (factor) => {
    const { probability, ratio } = await findingOf(each, noiseTimes(factor));
    expect(probability).toBeLessThan(1e-7);
    expect(Math.sign(ratio - 1)).toBe(Math.sign(factor - 1));
  });
});

describe('randomised response', () => {
  // Power: 596 of 10,000 bits where 1192 are planned, 18 standard deviations.
  it('is noticed when half as many bits are turned over', async () => {
    const flips = cases.find(({ law }) => law === 'randomised response')!;
    const planned = 1 / (1 + Math.exp(flips.epsilon));
    const epsilonOfHalf = Math.log(2 / planned - 1);
    const { probability, ratio } = await findingOf(flips, noiseTimes(flips.epsilon / epsilonOfHalf));
    expect(probability).toBeLessThan(1e-7);
    expect(ratio).toBeCloseTo(0.5, 0);
  });
});

describe('gammaTails', () => {
  // For whole k, Pr[Gamma(k) > x] is the probability of fewer than k events of a Poisson law of mean x.
  it.each([1, 2, 5, 20, 100, 1000])('never says less than the exact probability for k = %i', (k) => {
    for (let x = k; ; x *= 1.001) {
      const said = gammaTails(x, k, k);
      if (said > 1e-7) continue;
      let exact = 0;
      for (let events = 0, logTerm = -x; events < k; logTerm += Math.log(x / ++events))
        exact += Math.exp(logTerm);
      expect(2 * exact).toBeLessThanOrEqual(said * 1.01);
      expect(2 * exact).toBeGreaterThan(said / 10);
      return;
    }
  });
});

describe('the check of the noise in an audit', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ threads: 1, kernel: 'scalar' });
  });
  afterAll(() => engine.close());

  const lawOf = async (
    audited: string | Method,
    epsilon: number,
    runs: number,
    makeRecorder?: (plan: CalibratedPlan) => ReleaseRecorder,
    settings = {},
  ) => {
    const method = typeof audited === 'string' ? methodById(audited) : audited;
    const { checks } = await auditMethod({
      method,
      settings,
      epsilon,
      delta: 1e-5,
      runs,
      confidence: 1 - 1e-7,
      canaries: ['rare-items'],
      engine,
      ...(!method.feedback.includes('explicit') && { scale: { min: 1, max: 1, step: 1 } }),
      ...(makeRecorder && { makeRecorder }),
    });
    return checks.find(({ name }) => name.endsWith('planned law'))!;
  };

  // False alarm: 1e-7 for each of about 20 methods.
  const guaranteed = methods.filter(({ protects }) => protects.length > 0).map(({ id }) => id);
  it.each(guaranteed)('sees draws of every release of %s', async (id) => {
    const { ok, detail } = await lawOf(id, 10, 2);
    expect(ok).toBe(true);
    expect(detail).not.toContain('not looked at');
  });

  // Power: at half the noise K-norm lengths and Laplace sizes are half as large (more than 1000 draws), a
  // quarter of the bits are turned over, and fewer empty cells survive the threshold.
  it.each(['dpmf', 'private-als', 'dpimf', 'dplcf', 'ldpicf', 'input-perturbation'])(
    'notices half the noise of %s',
    async (id) => {
      expect((await lawOf(id, 2, 5, halfTheNoise)).ok).toBe(false);
    },
  );

  it('says what it did not look at', async () => {
    const { ok, detail } = await lawOf('dp-sgd', 10, 2, undefined, { samplingRate: 0.5 });
    expect(ok).toBe(true);
    expect(detail).toContain('not looked at: item-gradients');
  });

  it('does not pass where it saw nothing at all', async () => {
    const sampled: Method = {
      ...noisyItemMeans,
      plan: (settings, shape) => {
        const plan = noisyItemMeans.plan(settings, shape);
        const mechanism = { kind: 'poisson-sampled-gaussian', rate: 0.5 } as const;
        return { ...plan, releases: plan.releases.map((line) => ({ ...line, mechanism })) };
      },
    };
    const { ok, detail } = await lawOf(sampled, 10, 2);
    expect(ok).toBeNull();
    expect(detail).toBe('no draws that it could look at; not looked at: item-sums, item-counts');
  });
});
