import { type IdleSettings, idleBy } from '../idle-settings.js';
import type { SettingsOf } from '../settings.js';
import type { hushSettings } from './hush-settings.js';

/**
 * Which settings of `hush` count: ratings and choices have clips of their own, and without vectors there is
 * less to divide.
 */
export function idleHush({
  feedback,
  vectors,
}: SettingsOf<typeof hushSettings>): IdleSettings<keyof typeof hushSettings> {
  const implicit = feedback === 'implicit';
  return idleBy<keyof typeof hushSettings>(
    [
      implicit,
      'feedback=explicit',
      'weightExponent',
      'effectShare',
      'effectBound',
      'vectorBound',
      'momentBound',
    ],
    [!implicit, 'feedback=implicit', 'choiceBound', 'choiceMomentBound', 'unobservedRatio', 'userRidge'],
    [!vectors, 'vectors=true', 'momentShare', 'effectShare', 'unobservedRatio'],
  );
}
