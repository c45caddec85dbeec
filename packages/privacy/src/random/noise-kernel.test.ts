import { describe, expect, it } from 'vitest';
import { gaussianStream } from '../samplers/gaussian-stream.js';
import { noiseKernel } from './noise-kernel.js';

describe('NoiseKernel', () => {
  const stream = gaussianStream(new Uint8Array(32), 2 ** 47);

  it('has code for as many levels as the widest law needs', () => {
    expect(stream.diagonal).toMatchObject({ narrowLevels: 0, wideLevels: 5 });
    expect(() => noiseKernel()!.load(stream)).not.toThrow();
  });

  it.each([
    { narrowLevels: 2, wideLevels: 3 },
    { narrowLevels: 0, wideLevels: 6 },
  ])('refuses levels that it would leave out of a draw: $narrowLevels narrow, $wideLevels wide', (levels) => {
    for (const place of ['diagonal', 'offDiagonal'] as const) {
      const wider = { ...stream, [place]: { ...stream[place], ...levels } };
      expect(() => noiseKernel()!.load(wider)).toThrow(RangeError);
    }
  });
});
