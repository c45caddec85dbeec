import { expect, it } from 'vitest';
import type { Answers, Sent } from '../contract.js';
import { askJson, send } from './server-interface.js';

it('a path that the contract does not have is not asked, and an answer has its own type', () => {
  const calls = [
    // @ts-expect-error: no such path
    () => askJson('/api/nothing'),
    // @ts-expect-error: nothing answers to GET there
    () => askJson('/api/plans'),
    // @ts-expect-error: a run is not started by half a request
    () => send('/api/runs', { dataset: 'a', method: 'hush' }),
    // @ts-expect-error: a grant needs its ε
    () => send('/api/ledger/a/grant', { note: 'because' }),
    async () => {
      // @ts-expect-error: a list of models is not a list of runs
      const runs: Answers['/api/runs'] = await askJson('/api/models');
      return runs;
    },
  ];
  const stopped: Sent['/api/runs/1/stop']['answer']['status'] = 'stopped';
  expect([calls.length, stopped]).toEqual([5, 'stopped']);
});
