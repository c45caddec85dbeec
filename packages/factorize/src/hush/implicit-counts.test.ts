import { createAnsweringRecorder, sensitive } from '@hushrec/privacy';
import { type People, weightedCounts, itemWeights as weightSums } from '@hushrec/statistics';
import { expect, it } from 'vitest';
import { methodById } from '../registry.js';
import { planRun } from '../train.js';
import { hushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { releaseCounts } from './implicit-counts.js';

const itemCount = 300;
/** Counts that fall quickly, from one end or from the other. */
const falling = Float64Array.from({ length: itemCount }, (_, item) => Math.round(9000 / (item + 1)));
const rising = falling.toReversed();

/** Which items are asked about again, where people's counts are one thing and what was released another. */
async function askedAgain(exact: Float64Array, released: Float64Array): Promise<number[]> {
  const run = planRun({
    method: methodById('hush'),
    settings: { feedback: 'implicit' },
    itemCount,
    scale: { min: 1, max: 1, step: 0 },
    epsilon: 0.3,
    delta: 1e-6,
  });
  const recorder = createAnsweringRecorder(run.plan, {
    answer: async ({ release, length }) => ({
      kind: 'numbers',
      values: release === 'people-count' ? Float64Array.of(3000) : released.slice(0, length),
    }),
  });
  let preference = new Float64Array();
  const people = {
    itemCount,
    scale: { min: 1, max: 1, step: 1 },
    async sum(statistic: { readonly id: string }, published: unknown) {
      if (statistic.id === weightSums.id)
        preference = (published as { preference: Float64Array<ArrayBuffer> }).preference;
      const counts = { statistic: sensitive(exact, 'l2', 1), gridStep: 1 };
      const count = { statistic: sensitive(Float64Array.of(3000), 'l2', 1), gridStep: 1 };
      return statistic.id === weightedCounts.id ? { counts } : { count, weights: counts };
    },
  };
  const { stage } = await releaseCounts(
    {
      people: people as unknown as People,
      settings: run.settings as unknown as HushSettings,
      recorder,
    } as never,
    hushRules,
  );
  expect(stage.countsAlone).toBe(true);
  return Array.from(preference.keys()).filter((item) => preference[item] === 1);
}

it('asks again about the head of the released counts, whatever the exact ones are', async () => {
  const head = await askedAgain(falling, falling);
  expect(head.length).toBeGreaterThan(0);
  expect(head.length).toBeLessThan(itemCount / 2);
  expect(await askedAgain(rising, falling)).toEqual(head);
  expect(await askedAgain(falling, rising)).toEqual(
    head.map((item) => itemCount - 1 - item).toSorted((a, b) => a - b),
  );
});
