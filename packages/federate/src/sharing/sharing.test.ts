import { calibrate, sensitive } from '@hushrec/privacy';
import { gridSigmaFor } from '@hushrec/privacy/recorder-parts';
import { expect, it } from 'vitest';
import { createSharingRecorder, type SharedReport } from './sharing.js';
import { fineGrid, lineOf } from './sharing-line.js';
import { unpackWords } from './sharing-words.js';

const line = { mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 0.5 } as const;
const plan = calibrate(
  {
    unit: 'user',
    relation: 'add-remove',
    released: 'sums',
    releases: [
      { ...line, name: 'one' },
      { ...line, name: 'two' },
    ],
  },
  { epsilon: 1, delta: 1e-6 },
);
const length = 200;
const gridStep = 2 ** -20;
const shape = (name: string) => ({ name, occurrence: 0, part: 0, length, gridStep, width: 1 });

/** Hands in zeros for both lines of one exchange; gives what was handed in, and what came back. */
async function exchanged(addsNoise: boolean) {
  let handedIn: Float64Array | undefined;
  const settle = async (_: unknown, report: (id: string) => Promise<SharedReport>) => {
    handedIn = unpackWords((await report('')).words, 6);
    return Float64Array.from({ length: 2 * length }, (_, at) => at);
  };
  const recorder = createSharingRecorder(
    plan,
    { settle },
    {
      exchanges: [[shape('one'), shape('two')]],
      wordBytes: 6,
      aggregators: 1,
      root: new Uint8Array(32).fill(7),
      honestNeeded: 1,
      noiseOnSum: 1,
      addsNoise,
      onePerson: true,
    },
  );
  const answers = await Promise.all(
    ['one', 'two'].map((name) => {
      const open = recorder.begin(name);
      return open.add(0, sensitive(new Float64Array(length), 'l2', 1), gridStep).finally(() => open.close());
    }),
  );
  return { handedIn: handedIn!, answers, record: recorder.finish() };
}

// A standard deviation from 200 numbers is off by a fifth with probability below 1e-4; the root is fixed.
it('puts noise of the planned size on every line of an exchange', async () => {
  const { handedIn } = await exchanged(true);
  for (const [at, name] of ['one', 'two'].entries()) {
    const noise = handedIn.subarray(at * length, (at + 1) * length);
    const spread = Math.sqrt(noise.reduce((sum, value) => sum + value * value, 0) / length);
    const { effective } = fineGrid(lineOf(plan, { name }), gridStep);
    expect(spread / effective).toBeGreaterThan(0.8);
    expect(spread / effective).toBeLessThan(1.2);
  }
});

it('records the noise as it lies on its grid, and its distance from the exact law', async () => {
  const { record } = await exchanged(true);
  for (const { name, event } of record.releases) {
    const planned = lineOf(plan, { name });
    const { effective } = fineGrid(planned, gridStep);
    const gridSigma = gridSigmaFor(effective);
    expect(event).toMatchObject({ kind: 'gaussian', gridSigma });
    expect((event as { noise: number }).noise).toBe(planned.noise * (gridSigma / effective));
  }
  expect(record.event).toMatchObject({ kind: 'composed' });
  expect(JSON.stringify(record.event)).toContain('sampler-distance');
});

it('hands in what it was given where others add the noise', async () => {
  expect((await exchanged(false)).handedIn.every((value) => value === 0)).toBe(true);
});

it('gives every line its own part of what was released', async () => {
  const { answers } = await exchanged(false);
  const { step } = fineGrid(lineOf(plan, { name: 'one' }), gridStep);
  expect(answers.map((sums) => sums.length)).toEqual([length, length]);
  expect(answers[0]?.[3]).toBe(3 * step);
  expect(answers[1]?.[3]).toBe((length + 3) * step);
});
