import { createEngine, zeroFactors } from '@hushrec/numerics';
import { expect, it } from 'vitest';
import { solveUnprojected } from './unprojected-solve.js';

const job = () => ({
  width: 2,
  count: 1,
  vectors: Float64Array.of(1, 2),
  ridge: Float64Array.of(0.5),
  common: Float64Array.of(0.1, 0, 0, 0.2),
  added: Float64Array.of(0.3, 0.1, 0.4),
  out: zeroFactors(1, 2),
  begin: 0,
});

it('agrees with the projected solve where nothing is negative', async () => {
  const engine = await createEngine({ threads: 1 });
  const [projected, plain] = [job(), job()];
  await engine.solvePsd({ ...projected, matrices: Float64Array.of(2, 0.5, 1) });
  solveUnprojected({ ...plain, matrices: Float64Array.of(2, 0.5, 1) });
  plain.out.data.forEach((value, at) => {
    expect(value).toBeCloseTo(projected.out.data[at], 5);
  });
  await engine.close();
});

it('solves an indefinite system exactly', () => {
  const plain = job();
  solveUnprojected({ ...plain, matrices: Float64Array.of(-3, 0.5, 1) });
  const [a, b, c] = [-3 + 0.3 + 0.1 + 0.5, 0.5 + 0.1, 1 + 0.4 + 0.2 + 0.5];
  const [x, y] = plain.out.data;
  expect(a * x + b * y).toBeCloseTo(1, 5);
  expect(b * x + c * y).toBeCloseTo(2, 5);
});
