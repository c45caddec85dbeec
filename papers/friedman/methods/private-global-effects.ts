import type { SettingsOf, SettingsSchema } from '@hushrec/factorize';
import { defineMethod, idleBy } from '@hushrec/factorize';
import { releaseAverages } from './averages.js';
import { type AveragesSettings, averagesSchema, planAverages } from './averages-budget.js';
import { printedAveragesClaim } from './claims.js';
import { presenceOrValue, protectionOf } from './protected-rating.js';
import { baselineOf } from './published-averages.js';

const schema = {
  ...averagesSchema,
  itemShare: { ...averagesSchema.itemShare, default: 0.54 },
  userShare: { ...averagesSchema.userShare, default: 0.44 },
} as const satisfies SettingsSchema;

/**
 * The three shares name parts of one budget: they are taken in proportion, so that together they spend all of
 * it.
 */
function normalised(settings: SettingsOf<typeof schema>): AveragesSettings {
  const whole = settings.globalShare + settings.itemShare + settings.userShare;
  return {
    ...settings,
    globalShare: settings.globalShare / whole,
    itemShare: settings.itemShare / whole,
    userShare: settings.userShare / whole,
  };
}

/**
 * Private Global Effects: r̂ = I_j + U_i with the whole budget on the averages. Friedman, Berkovsky, Kaafar
 * 2016, §4.1. Item and user averages are public, under pure ε-DP for single ratings.
 */
export const privateGlobalEffects = defineMethod({
  id: 'private-global-effects',
  title: 'Private item and user averages',
  paper: 'Friedman, Berkovsky, Kaafar 2016, Algorithms 1 and 2',
  ...presenceOrValue,
  settings: schema,
  idle: ({ unit }) => idleBy([unit === 'rating-value', 'unit=rating-presence', 'repaired']),
  plan(given, shape) {
    const settings = normalised(given);
    return {
      ...protectionOf(settings.unit),
      released: 'item averages and user averages',
      releases: planAverages(settings, shape.scale),
      ...printedAveragesClaim(settings, shape),
    };
  },
  async train({ ratings, settings: given, recorder }) {
    const settings = normalised(given);
    const averages = await releaseAverages(settings, ratings, recorder);
    return { model: baselineOf(averages, settings.userShrinkage) };
  },
});
