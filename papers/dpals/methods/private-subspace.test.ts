import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { calibrate, createRecorder } from '@hushrec/privacy';
import { LocalPeople } from '@hushrec/statistics';
import { expect, it } from 'vitest';
import { planSubspace, privateSubspace } from './private-subspace.js';

it('finds the main direction of people’s rows when noise is small, and an orthonormal basis', async () => {
  const engine = await createEngine({ threads: 1 });
  const [people, items] = [200, 12];
  const direction = Array.from({ length: items }, (_, item) => Math.sin(item + 1));
  const [rows, columns, values]: number[][] = [[], [], []];
  for (let i = 0; i < people; i++) {
    for (let j = 0; j < items; j++) {
      rows.push(i);
      columns.push(j);
      values.push(direction[j] * Math.cos(i * 1.7) * 0.9);
    }
  }
  const byUser = csrFromTriples(people, items, rows, columns, values);
  const everyone = new LocalPeople({ itemCount: items, scale: { min: -1, max: 1, step: 0 }, byUser }, engine);
  const weighting = { kind: 'adaptive', limit: 1, exponent: 0, budget: 1 } as const;
  const question = { weighting, feedback: 'explicit', offset: 0, targetBound: 1, gridBits: 15 } as const;
  const plan = {
    unit: 'user',
    relation: 'add-remove',
    released: 'directions',
    releases: [planSubspace(4, 1, 1, 1)],
  } as const;
  const recorder = createRecorder(calibrate(plan, { epsilon: 1000, delta: 1e-5 }), { seed: 1 });
  let state = 3;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const basis = await privateSubspace({ people: everyone, recorder, question, width: 2, steps: 4, random });
  recorder.finish();
  const length = Math.hypot(...direction);
  let captured = 0;
  for (let k = 0; k < 2; k++) {
    const cosine = direction.reduce((sum, x, item) => sum + x * basis.data[item * 2 + k], 0) / length;
    captured += cosine ** 2;
    const norm = Math.hypot(...Array.from({ length: items }, (_, item) => basis.data[item * 2 + k]));
    expect(norm).toBeCloseTo(1, 5);
  }
  expect(captured).toBeGreaterThan(0.99);
  await engine.close();
});
