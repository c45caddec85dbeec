import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { expect, it } from 'vitest';
import { charterFacts, charterWords } from './charter-words.js';
import { smallCharter } from './small-charter.test.data.js';

it('says what is weak about a promise, and nothing where nothing is', async () => {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const weak = async (epsilon: number, delta: number, mostPeople: number) => {
    const { charter } = await smallCharter(keys, { engine }, { epsilon, delta, mostPeople });
    expect(charterWords(charter)[0]).toContain(`(${epsilon}, ${delta})`);
    return charterFacts(charter).flatMap(({ about, words }) => (about === 'Weak' ? [words] : []));
  };
  expect(await weak(5, 1e-6, 100_000)).toEqual([]);
  expect(await weak(5, 1e-5, 100_000)).toEqual([expect.stringContaining('one of them whole')]);
  expect(await weak(100, 1e-6, 100)).toEqual([expect.stringContaining('promises next to nothing')]);
  await engine.close();
});
