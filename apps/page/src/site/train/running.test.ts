import { expect, it } from 'vitest';
import { releasedSteps } from './running.js';

it('counts what was released by kind and adds up how long it took', () => {
  const steps = releasedSteps({
    releases: ['item-counts', 'taste-vectors-round-1', 'taste-vectors-round-2'],
    seconds: [0.5, 2, 5],
  });
  expect([...steps.values()]).toEqual([
    { times: 1, seconds: 0.5 },
    { times: 2, seconds: 4.5 },
  ]);
});

it('says nothing of time where nothing is known of it', () => {
  expect([...releasedSteps({ releases: ['item-counts'] }).values()]).toEqual([{ times: 1 }]);
  expect(releasedSteps(undefined).size).toBe(0);
});
