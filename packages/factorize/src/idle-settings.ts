import type { Method, PublicShape } from './method.js';
import { readSettings, SettingsError } from './settings.js';

/** Settings that change nothing beside the others, each with what it would take for it to count. */
export type IdleSettings<Key extends string = string> = Readonly<Partial<Record<Key, string>>>;

/** When settings are idle, what they would need, and which they are. */
export type IdleRule<Key extends string = string> = readonly [
  isIdle: boolean,
  needed: string,
  ...keys: readonly Key[],
];

/** All that is idle by these rules; of several reasons the first is kept. */
export function idleBy<Key extends string>(...rules: readonly IdleRule<Key>[]): IdleSettings<Key> {
  const idle: Partial<Record<Key, string>> = {};
  for (const [isIdle, needed, ...keys] of rules) if (isIdle) for (const key of keys) idle[key] ??= needed;
  return idle;
}

/**
 * Refuses what somebody set and what would then change nothing, with its name and what it needs. A value that
 * would stand there anyway is no wish and passes.
 *
 * @param settings complete, as planned
 * @param given what was asked for
 * @throws SettingsError
 */
export function refuseIdle(
  method: Pick<Method, 'id' | 'settings' | 'suggest' | 'idle'>,
  settings: Readonly<Record<string, number | string | boolean>>,
  given: Readonly<Record<string, unknown>>,
  shape: PublicShape,
): void {
  const idle = method.idle?.(settings, shape) ?? {};
  const asked = Object.keys(given).filter((key) => idle[key] !== undefined);
  if (asked.length === 0) return;
  const usual: Readonly<Record<string, unknown>> = readSettings(
    method.settings,
    method.suggest?.(shape, given) ?? {},
  );
  for (const key of asked) {
    if (settings[key] === usual[key]) continue;
    throw new SettingsError(
      key,
      `${key}=${settings[key]} would change nothing in ${method.id} here: it needs ${idle[key]}. Set that too, or leave ${key} out.`,
    );
  }
}
