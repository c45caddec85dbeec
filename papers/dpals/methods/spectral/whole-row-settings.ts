import type { SettingsSchema } from '@hushrec/factorize';
import { implicitSettings } from '../../../shared/gramian-step.js';

/**
 * Settings of the methods that release a statistic of people's whole rows, and then leave people to solve for
 * themselves.
 */
export const wholeRowSettings = {
  rowBound: {
    type: 'number',
    default: 5,
    min: 1e-6,
    max: 1e6,
    description: 'L: a person’s centred ratings, as one row, are scaled down to this norm.',
  },
  unobservedWeight: {
    ...implicitSettings.unobservedWeight,
    description: 'λ₀: weight of all items in people’s own solve (implicit feedback); costs nothing here.',
  },
} as const satisfies SettingsSchema;

/** What these methods have in common: whom they protect, what they read, what they clip. */
export const ofWholeRows = {
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  needs: 'people',
  clips: ['rowBound'],
} as const;
