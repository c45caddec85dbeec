import type { SettingsSchema } from '../settings.js';

/** The setting of every method that starts from random vectors. */
export const initialStdDev = {
  type: 'number',
  default: 0.1,
  min: 1e-6,
  max: 10,
  description: 'Standard deviation of the coordinates of the initial vectors.',
} as const satisfies SettingsSchema[string];
