import {
  type IdleSettings,
  methods,
  type SearchSpace,
  type SettingsSchema,
  type SettingValues,
} from '@hushrec/factorize';

/** The method has no search space. */
export class SearchSpaceError extends RangeError {
  override readonly name = 'SearchSpaceError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    const known = methods.filter(({ search }) => search !== undefined).map(({ id }) => id);
    super(
      `There is no search space for "${method}". Known: ${known.join(', ')}. Leave the method out of the tuning.`,
    );
    this.method = method;
  }
}

/**
 * One candidate around `base`: every searched setting drawn independently, within its schema's range, whole
 * where it has to be. Settings named in `fixed` keep their value, and so do those that `idle` says change
 * nothing beside the rest.
 */
export function drawCandidate(
  space: SearchSpace,
  schema: SettingsSchema,
  base: SettingValues,
  fixed: Readonly<Record<string, unknown>>,
  random: () => number,
  idle: (settings: SettingValues) => IdleSettings = () => ({}),
): SettingValues {
  const drawn: Record<string, number | string | boolean> = {};
  for (const [key, range] of Object.entries(space)) {
    const uniform = random(); // drawn for every setting, so that fixing one leaves the others as they were
    const setting = schema[key];
    if (range === undefined || setting === undefined || Object.hasOwn(fixed, key)) continue;
    if ('among' in range) {
      drawn[key] = range.among[Math.min(range.among.length - 1, Math.floor(uniform * range.among.length))];
      continue;
    }
    const centre = base[key];
    if (typeof centre !== 'number' || (setting.type !== 'number' && setting.type !== 'integer')) continue;
    const value = centre * range.factor ** (2 * uniform - 1);
    const whole = setting.type === 'integer' ? Math.round(value) : Number(value.toPrecision(4));
    drawn[key] = Math.min(setting.max, Math.max(setting.min, whole));
  }
  for (const key of Object.keys(idle({ ...base, ...drawn }))) delete drawn[key];
  return drawn;
}
