// How much of what the processor's 128-bit units can do the user step takes: multiply-adds a second of a loop
// that does nothing else, of the tiles alone, and of a step on dense rows.
import { existsSync, readFileSync } from 'node:fs';
import { createEngine, randomFactors, zeroFactors } from '@hushrec/numerics';
import asc from 'assemblyscript/asc';
import { byTurns, printTable } from './measure.mjs';
import { syntheticRatings, uniform } from './synthetic-ratings.mjs';

const widths = [32, 64, 128];
const turns = 4_000_000;

/**
 * Fused: twelve sums of their own, which hides the four cycles of one on two units. Not fused: eight sums of
 * products of four loaded numbers with two vectors, because products must not wait for sums; the numbers are
 * loaded from two places by turns, or V8 would multiply once before the loop.
 */
const loops = {
  'relaxed-simd': {
    sums: 12,
    turn: (k) => `s${k} = f32x4.relaxed_madd(s${k}, a, b);`,
  },
  simd: {
    sums: 8,
    turn: (k) =>
      `${k % 2 ? '' : `x = v128.load_splat<f32>(at, ${2 * k});`} s${k} = f32x4.add(s${k}, f32x4.mul(x, ${k % 2 ? 'a' : 'b'}));`,
  },
};

/** The loop, and the kernels' own tile and factorisation. */
function source({ sums, turn }) {
  const each = (line) => Array.from({ length: sums }, (_, k) => line(k)).join('\n');
  return `export { rankUpdate32 } from './rank-update-f32';
  export { cholesky32 } from './cholesky-f32';
  export function peak(turns: i32, one: f32, zero: f32): f32 {
    const a = f32x4.splat(one), b = f32x4.splat(zero);
    let x = a, at: usize = 1024;
    ${each((k) => `let s${k} = f32x4.splat(<f32>${k});`)}
    do {
      ${each(turn)}
      at ^= 64;
    } while (--turns > 0);
    ${each((k) => `x = f32x4.add(x, s${k});`)}
    return f32x4.extract_lane(x, 0);
  }`;
}

async function compiled(build) {
  const features = build === 'relaxed-simd' ? ['simd', 'relaxed-simd'] : ['simd'];
  let binary;
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--initialMemory', '16'];
  for (const feature of features) flags.push('--enable', feature);
  const { error, stderr } = await asc.main(['peak.ts', '--outFile', 'peak.wasm', ...flags], {
    readFile(name) {
      if (name === 'peak.ts') return source(loops[build]);
      const file = new URL(`../packages/numerics/assembly/${name}`, import.meta.url);
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
    writeFile(name, contents) {
      if (name === 'peak.wasm') binary = contents;
    },
  });
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  const { instance } = await WebAssembly.instantiate(binary);
  return instance.exports;
}

/** Multiply-adds that a step needs: triangle and right-hand side a rating, factor and two solves a person. */
const perRating = (d) => (d * (d + 1)) / 2 + d;
const perPerson = (d) => d ** 3 / 6 + d ** 2;

/** Ways to spend multiply-adds on a panel in the first-level cache: [job, multiply-adds]. */
function alone({ rankUpdate32, cholesky32, memory }, d) {
  const [panel, matrix, inverse] = [65_536, 262_144, 524_288];
  const numbers = new Float32Array(memory.buffer);
  const random = uniform(d);
  const rows = 48;
  for (let k = 0; k < rows * d; k++) numbers[panel / 4 + k] = random() - 0.5;
  const [panels, factors] = [Math.ceil(4e7 / (rows * d * d)), Math.ceil(2e7 / d ** 3)];
  return {
    triangle: [
      () => {
        for (let k = 0; k < panels; k++) rankUpdate32(panel, rows, d, matrix, 0);
      },
      (panels * rows * d * (d + 1)) / 2,
    ],
    // The identity is its own factor, so that it can be factored again and again.
    factor: [
      () => {
        numbers.fill(0, matrix / 4, matrix / 4 + d * d);
        for (let a = 0; a < d; a++) numbers[matrix / 4 + a * (d + 1)] = 1;
        for (let k = 0; k < factors; k++) cholesky32(matrix, d, inverse);
      },
      (factors * d ** 3) / 6,
    ],
  };
}

/** Shares of the peak by build and rank. */
export async function benchmarkPeak({ rounds, builds }) {
  const people = 250;
  const items = 10_000;
  const dense = syntheticRatings({ users: people, items, ratings: 600 * people, seed: 4, spread: 0.05 });
  const random = uniform(3);
  const ratings = dense.indices.length;
  const weights = new Float32Array(new SharedArrayBuffer(4 * ratings)).map(() => 0.5 + 2 * random());
  const rows = [];
  for (const build of builds) {
    const engine = await createEngine({ kernel: build, threads: 1 });
    const kernels = await compiled(build);
    for (const d of widths) {
      const fixed = randomFactors(items, d, 1 / Math.sqrt(d), uniform(d));
      const out = zeroFactors(people, d);
      const { triangle, factor } = alone(kernels, d);
      const cases = {
        peak: () => void kernels.peak(turns, 1, 0),
        triangle: triangle[0],
        factor: factor[0],
        step: async () => {
          await engine.solveRows({ rows: dense, fixed, weights, ridge: 0.1, out });
        },
      };
      const best = await byTurns(cases, rounds);
      const peak = (4 * loops[build].sums * turns) / best.peak; // a millisecond
      rows.push({
        build,
        d,
        'peak, 10⁹ multiply-adds/s': peak / 1e6,
        'triangle alone': triangle[1] / best.triangle / peak,
        'Cholesky alone': factor[1] / best.factor / peak,
        'whole step': (ratings * perRating(d) + people * perPerson(d)) / best.step / peak,
      });
    }
    await engine.close();
  }
  printTable(
    `Share of the peak of 128-bit vectors in the user step, ${people} people with 600 ratings each, one thread; processor time, least of ${rounds} rounds.`,
    rows,
  );
  return rows;
}
