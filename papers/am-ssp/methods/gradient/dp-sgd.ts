import type { SettingsSchema } from '@hushrec/factorize';
import { defineMethod, eachRound } from '@hushrec/factorize';
import type { MovedQuestion, PathStep } from '../../statistics/moved-vectors.js';
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
  rounds: { type: 'integer', default: 30, min: 1, max: 100_000, description: 'Noised gradient steps (T).' },
  userLearningRate: {
    type: 'number',
    default: 0.5,
    min: 1e-7,
    max: 10,
    description: 'Step size of people’s own vectors, in units of the inverse curvature of their own loss.',
  },
} as const satisfies SettingsSchema;

/**
 * Private stochastic gradient descent on all parameters at once (Abadi et al. 2016 at user level): the plain
 * baseline of Krichene et al. 2024. Each step moves item parameters by a noised, clipped sum of people's
 * gradients, and every person's own vector by a gradient step on own ratings. User vectors are never
 * released, and depend on released item vectors and own ratings alone, so only item-side releases are
 * charged.
 */
export const dpSgd = defineMethod({
  id: 'dp-sgd',
  title: 'Private stochastic gradient descent',
  paper: 'Abadi et al. 2016; baseline of Krichene et al. 2024',
  ...descends,
  settings: schema,
  search: descentSearch,
  suggest: suggestDescent,
  idle: idleDescent,
  plan(settings, shape) {
    return planDescent(settings, shape, settings.rounds, settings.rounds);
  },
  async train(input) {
    const { settings, engine } = input;
    const descent = await startDescent(input);
    const { items, userStep } = descent;
    const path: PathStep[] = [];
    for (const _round of eachRound(settings.rounds, input)) {
      const gramian = settings.unobservedWeight > 0 ? await engine.gramian(items) : undefined;
      path.push({ items: { ...items, data: items.data.slice() }, ...(gramian && { gramian }) });
      const own: MovedQuestion = {
        ...userStep,
        kind: 'moved',
        path,
        steps: path.length,
        rate: settings.userLearningRate,
      }; // u_i ← u_i − η_u ∂: local
      await descent.refreshGramian(own);
      await descent.step(own); // θ ← θ − η ĝ
    }
    return descent.model();
  },
});
