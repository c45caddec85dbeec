import type { SettingsSchema } from '@hushrec/factorize';
import { defineMethod, within } from '@hushrec/factorize';
import { askPeople } from '../../../shared/user-step.js';
import { suggestDescent } from '../am-ssp-settings.js';
import {
  descends,
  descentSearch,
  descentSettings,
  idleDescent,
  planDescent,
  startDescent,
} from './gradient-descent.js';

const schema = {
  ...descentSettings,
  rounds: {
    type: 'integer',
    default: 8,
    min: 1,
    max: 10_000,
    description: 'Outer rounds: people solve, then items step.',
  },
  stepsPerRound: {
    type: 'integer',
    default: 3,
    min: 1,
    max: 100_000,
    description: 'Noised gradient steps per round.',
  },
} as const satisfies SettingsSchema;

/**
 * Alternating minimization with noised gradients, Krichene et al. 2024, Algorithm 6: people solve their own
 * vectors exactly, item parameters move by DP-SGD. What AM-SSP is compared with.
 *
 * Unit: user, add or remove. Corrections: clipping per person, Poisson sampling with secret coins, and the
 * cost of all rounds.
 */
export const amDpsgd = defineMethod({
  id: 'am-dpsgd',
  title: 'Alternating minimization with private gradients',
  paper: 'Krichene et al. 2024, Algorithm 6 (corrected)',
  ...descends,
  settings: schema,
  search: { ...descentSearch, stepsPerRound: within(2) },
  suggest: suggestDescent,
  idle: idleDescent,
  plan(settings, shape) {
    return planDescent(settings, shape, settings.rounds * settings.stepsPerRound, settings.rounds);
  },
  async train(input) {
    const { settings, engine, progress, signal } = input;
    const { rounds, stepsPerRound } = settings;
    const descent = await startDescent(input);
    for (let round = 0; round < rounds; round++) {
      const asked = await askPeople(engine, descent.userStep, descent.items);
      const own = { ...asked, kind: 'solved' } as const; // UserUpdate: local, exact
      await descent.refreshGramian(own);
      for (let step = 0; step < stepsPerRound; step++) {
        signal?.throwIfAborted();
        progress?.({ stage: 'steps', done: round * stepsPerRound + step, total: rounds * stepsPerRound });
        await descent.step(own); // θ ← θ − η ĝ
      }
    }
    progress?.({ stage: 'steps', done: rounds * stepsPerRound, total: rounds * stepsPerRound });
    return descent.model();
  },
});
