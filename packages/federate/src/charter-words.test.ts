import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { expect, it } from 'vitest';
import { charterFacts, charterWords } from './charter-words.js';
import type { CharterRequest } from './draft-charter.js';
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

it('says how far one device can move a result, and of which stage that holds', async () => {
  const engine = await createEngine({ kernel: 'simd', threads: 1 });
  const keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const said = async (change: Partial<CharterRequest>) => {
    const { charter } = await smallCharter(keys, { engine }, { mostPeople: 100_000, ...change });
    return charterFacts(charter).find(({ about }) => about === 'What a liar can do')!.words;
  };
  expect(await said({})).toMatch(/move a published number as far as 100000 people can, or end the run/);
  expect(await said({ screening: 0.05 })).toMatch(
    /move a published number as far as \d+ people can; whatever hands in more is left out/,
  );
  expect(await said({ screening: 0.05, method: 'hush', settings: {} })).toMatch(
    /move a number published in the first stage as far as \d+ people can, and a later one as far as/,
  );
  await engine.close();
});
