// One contract for every implementation of the kernels: each is compared with the scalar one in one thread.
import { afterAll, beforeAll, describe } from 'vitest';
import { createEngine, type EngineOptions } from '../../create-engine.js';
import type { Csr, FactorMatrix } from '../../csr.js';
import { csrFromTriples } from '../../csr-from-triples.js';
import type { Engine } from '../../engine.js';
import { wasmBuildAvailable } from '../wasm.js';

/** Fixed linear congruential generator: the cases are the same in every run. */
export function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rows of very different lengths, some empty, some longer than a panel of the kernels. */
export function sparseRows(rowCount: number, columnCount: number, seed: number): Csr {
  const random = uniform(seed);
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    const density = row % 7 === 3 ? 0 : row === 0 ? 0.9 : 0.3 * random() ** 2;
    for (let column = 0; column < columnCount; column++) {
      if (random() >= density) continue;
      rows.push(row);
      columns.push(column);
      values.push(Math.round(random() * 9 + 1) / 2);
    }
  }
  return csrFromTriples(rowCount, columnCount, rows, columns, values);
}

export const uniformArray = (length: number, low: number, high: number, seed: number) => {
  const random = uniform(seed);
  return Float32Array.from({ length }, () => low + (high - low) * random());
};

/** Largest difference relative to the largest entry of the row it is in. */
export function rowwiseError(actual: FactorMatrix, expected: FactorMatrix): number {
  let worst = 0;
  for (let row = 0; row < expected.rowCount; row++) {
    let scale = 0;
    let difference = 0;
    for (let k = row * expected.width; k < (row + 1) * expected.width; k++) {
      if (!Number.isFinite(actual.data[k])) return Infinity;
      scale = Math.max(scale, Math.abs(expected.data[k]));
      difference = Math.max(difference, Math.abs(actual.data[k] - expected.data[k]));
    }
    worst = Math.max(worst, scale === 0 ? difference : difference / scale);
  }
  return worst;
}

export const widths = [1, 3, 4, 8, 13, 32, 64];
const implementations: { readonly options: EngineOptions; readonly skip?: string }[] = [
  { options: { kernel: 'scalar', threads: 2 } },
  { options: { kernel: 'simd', threads: 1 } },
  { options: { kernel: 'simd', threads: 2 } },
  wasmBuildAvailable('relaxed-simd')
    ? { options: { kernel: 'relaxed-simd', threads: 1 } }
    : { options: { kernel: 'relaxed-simd', threads: 1 }, skip: 'this host has no relaxed SIMD' },
];

/** There from `beforeAll` on. */
export interface KernelsUnderTest {
  reference: Engine;
  tested: Engine;
}

/** Describes the tests of `contract` for every implementation. */
export function forEveryKernel(contract: (kernels: KernelsUnderTest, options: EngineOptions) => void): void {
  for (const { options, skip } of implementations) {
    const name = `${options.kernel} kernels, ${options.threads} thread(s)${skip === undefined ? '' : ` (${skip})`}`;
    describe.skipIf(skip !== undefined)(name, () => {
      const kernels = {} as KernelsUnderTest;
      beforeAll(async () => {
        kernels.reference = await createEngine({ kernel: 'scalar', threads: 1 });
        kernels.tested = await createEngine(options);
      });
      afterAll(async () => {
        await kernels.tested?.close();
        await kernels.reference?.close();
      });
      contract(kernels, options);
    });
  }
}
