/** Hyper-parameters as data: one place gives defaults, ranges, help texts, validation and the page's forms. */
export type Setting =
  | {
      readonly type: 'number' | 'integer';
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly description: string;
    }
  | {
      readonly type: 'choice';
      readonly default: string;
      readonly choices: readonly string[];
      readonly description: string;
    }
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string };

export type SettingsSchema = Readonly<Record<string, Setting>>;

type ValueOf<S extends Setting> = S extends { type: 'number' | 'integer' }
  ? number
  : S extends { type: 'choice'; choices: readonly (infer C)[] }
    ? C
    : boolean;

/** The values of a schema, typed. Declare schemas `as const satisfies SettingsSchema`. */
export type SettingsOf<Schema extends SettingsSchema> = {
  readonly [Key in keyof Schema]: ValueOf<Schema[Key]>;
};

/** A setting that does not exist or is out of range. */
export class SettingsError extends RangeError {
  override readonly name = 'SettingsError';
  readonly key: string;
  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/** Fills in defaults and checks every value; strings (from `--set key=value`) are read as the setting's type. */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  given: Readonly<Record<string, unknown>> = {},
): SettingsOf<Schema> {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(schema, key)) {
      throw new SettingsError(key, `There is no setting "${key}". Known: ${Object.keys(schema).join(', ')}.`);
    }
  }
  const values: Record<string, number | string | boolean> = {};
  for (const [key, setting] of Object.entries(schema)) {
    values[key] = Object.hasOwn(given, key) ? readOne(key, setting, given[key]) : setting.default;
  }
  return values as SettingsOf<Schema>;
}

function readOne(key: string, setting: Setting, value: unknown): number | string | boolean {
  switch (setting.type) {
    case 'number':
    case 'integer': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number !== 'number' || !(number >= setting.min && number <= setting.max)) {
        throw new SettingsError(
          key,
          `${key} is ${String(value)}; expected a number from ${setting.min} to ${setting.max}. ${setting.description}`,
        );
      }
      if (setting.type === 'integer' && !Number.isInteger(number)) {
        throw new SettingsError(key, `${key} is ${number}; expected a whole number. ${setting.description}`);
      }
      return number;
    }
    case 'choice':
      if (typeof value !== 'string' || !setting.choices.includes(value)) {
        throw new SettingsError(
          key,
          `${key} is ${String(value)}; expected one of ${setting.choices.join(', ')}.`,
        );
      }
      return value;
    case 'boolean':
      if (value === true || value === 'true') return true;
      if (value === false || value === 'false') return false;
      throw new SettingsError(key, `${key} is ${String(value)}; expected true or false.`);
    default:
      return setting satisfies never;
  }
}
