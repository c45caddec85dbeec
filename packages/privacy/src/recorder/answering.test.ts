import { describe, expect, it } from 'vitest';
import { calibrate } from '../plan/calibrate.js';
import { AnswerMismatchError, createAnsweringRecorder, type ReleaseRequest } from './answering.js';
import { ReleaseRefusedError } from './errors.js';
import { sensitive } from './sensitive.js';

const plan = calibrate(
  {
    unit: 'user',
    relation: 'add-remove',
    released: 'sums',
    releases: [
      { name: 'sums', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 2, share: 0.5 },
      {
        name: 'coins',
        mechanism: { kind: 'pure', mechanism: 'coins' },
        sensitivity: 1,
        count: 1,
        share: 0.5,
      },
    ],
  },
  { epsilon: 1, delta: 1e-6 },
);
const zeros = (length: number) => sensitive(new Float64Array(length), 'l2', 1);

/** A recorder that answers with `1, 2, 3, …`, and what it was asked. */
function answering(spoil: (values: Float64Array) => Float64Array = (values) => values) {
  const asked: ReleaseRequest[] = [];
  const recorder = createAnsweringRecorder(plan, {
    async answer(request) {
      asked.push(request);
      if (request.kind === 'bits') return { kind: 'bits', values: new Uint8Array(request.length).fill(1) };
      if (request.kind === 'choice') return { kind: 'choice', index: request.length };
      return {
        kind: 'numbers',
        values: spoil(Float64Array.from({ length: request.length }, (_, at) => at + 1)),
      };
    },
  });
  return { recorder, asked };
}

describe('a recorder that answers from elsewhere', () => {
  it('asks for the form of what was given, never for its numbers', async () => {
    const { recorder, asked } = answering();
    const open = recorder.begin('sums');
    const released = await open.add(3, sensitive(Float64Array.of(9, 9, 9), 'l2', 1), 0.25, {
      kind: 'symmetric',
      width: 2,
    });
    expect([...released]).toEqual([1, 2, 3]);
    expect(asked).toEqual([
      {
        kind: 'numbers',
        release: 'sums',
        occurrence: 0,
        part: 3,
        length: 3,
        gridStep: 0.25,
        layout: { kind: 'symmetric', width: 2 },
      },
    ]);
    expect(recorder.simulation).toBe(true);
  });

  it('holds a run to its plan: layouts, mechanisms, parts, ends', async () => {
    const { recorder } = answering();
    const sums = recorder.begin('sums');
    const refused = (part: number, length: number, width: number) =>
      sums.add(part, zeros(length), 1, { kind: 'symmetric', width });
    await expect(refused(0, 4, 2)).rejects.toMatchObject({ reason: 'bad-layout' });
    await expect(refused(0, 4, 1)).resolves.toHaveLength(4);
    await expect(sums.add(0, zeros(1), 1)).rejects.toMatchObject({ reason: 'part-used-twice' });
    await expect(sums.flip(1, sensitive(new Uint8Array(2), 'l1', 1))).rejects.toMatchObject({
      reason: 'wrong-mechanism',
    });
    sums.close();
    await expect(sums.add(1, zeros(1), 1)).rejects.toThrow(ReleaseRefusedError);
    expect(() => sums.close()).toThrow(ReleaseRefusedError);
    const coins = recorder.begin('coins');
    await expect(coins.add(0, zeros(1), 1)).rejects.toMatchObject({ reason: 'wrong-mechanism' });
    await expect(coins.flip(0, sensitive(new Uint8Array(2), 'l1', 1))).resolves.toEqual(Uint8Array.of(1, 1));
  });

  it('takes no answer of another form', async () => {
    const { recorder } = answering((values) => values.slice(1));
    await expect(recorder.begin('sums').add(0, zeros(2), 1)).rejects.toThrow(AnswerMismatchError);
    const choice = answering().recorder.begin('coins');
    await expect(choice.select(0, zeros(2), 1)).rejects.toThrow(AnswerMismatchError);
  });
});
