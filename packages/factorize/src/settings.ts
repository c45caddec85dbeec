import { didYouMean } from './nearest-name.js';

/**
 * Hyper-parameters as data: one place gives defaults, ranges, help texts, validation and the page's forms.
 */
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
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  /** One number per name, written `genre:0.5,cast:2`; which names there are is known only with the data. */
  | {
      readonly type: 'numbers-by-name';
      readonly default: '';
      readonly min: number;
      readonly max: number;
      readonly description: string;
    };

export type SettingsSchema = Readonly<Record<string, Setting>>;

type ValueOf<S extends Setting> = S extends { type: 'number' | 'integer' }
  ? number
  : S extends { type: 'choice'; choices: readonly (infer C)[] }
    ? C
    : S extends { type: 'numbers-by-name' }
      ? string
      : boolean;

/** The values of a schema, typed. Declare schemas `as const satisfies SettingsSchema`. */
export type SettingsOf<Schema extends SettingsSchema> = {
  readonly [Key in keyof Schema]: ValueOf<Schema[Key]>;
};

/** A setting that does not exist or is out of range. */
export class SettingsError extends RangeError {
  override readonly name = 'SettingsError';
  readonly kind = 'usage';
  readonly key: string;
  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/**
 * What settings were called before; refused with the new name, or those it was divided into, where the method
 * has it.
 */
const newNames: Readonly<Record<string, string>> = {
  dimensions: 'rank',
  iterations: 'rounds',
  epochs: 'rounds',
  regularization: 'ridge',
  lambda: 'ridge',
  userRegularization: 'userRidge',
  itemRegularization: 'itemRidge',
  featureRegularization: 'featureRidge',
  biasRegularization: 'biasRidge',
  tasteRidge: 'userRidge',
  exponent: 'ridgeExponent',
  userShrinkage: 'interceptRidge',
  itemShrinkage: 'biasRidge',
  categoricalWeight: 'tokenWeight',
  listed: 'itemLimit',
};

/**
 * Fills in defaults and checks every value; strings (from `--set key=value`) are read as the setting's type.
 */
export function readSettings<Schema extends SettingsSchema>(
  schema: Schema,
  given: Readonly<Record<string, unknown>> = {},
): SettingsOf<Schema> {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(schema, key)) throw unknownSetting(schema, key);
  }
  const values: Record<string, number | string | boolean> = {};
  for (const [key, setting] of Object.entries(schema)) {
    values[key] = Object.hasOwn(given, key) ? readOne(key, setting, given[key]) : setting.default;
  }
  return values as SettingsOf<Schema>;
}

/**
 * Values that a method was planned with, by the types of its schema, defaults filled in. Ranges were checked
 * where the values came from (`readSettings`); an audit that takes clips away goes beyond them on purpose.
 */
export function typedSettings<Schema extends SettingsSchema>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
): SettingsOf<Schema> {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(schema)) {
    values[key] = Object.hasOwn(given, key) ? given[key] : setting.default;
    if (typeof values[key] !== typeof setting.default) readOne(key, setting, values[key]);
  }
  for (const key of Object.keys(given)) if (!Object.hasOwn(schema, key)) throw unknownSetting(schema, key);
  return values as SettingsOf<Schema>;
}

/** Ridges of methods that have one for each side instead of one for both. */
const ridgesOfSides = ['userRidge', 'itemRidge'] as const;

/** What a setting is called now that had another name once; undefined for others. */
export function currentName(key: string): string | undefined {
  return Object.hasOwn(newNames, key) ? newNames[key] : undefined;
}

function unknownSetting(schema: SettingsSchema, key: string): SettingsError {
  const now = currentName(key);
  if (now !== undefined && Object.hasOwn(schema, now))
    return new SettingsError(key, `${key} is now called ${now}. ${schema[now].description}`);
  if (now === 'ridge' && ridgesOfSides.every((name) => Object.hasOwn(schema, name)))
    return new SettingsError(
      key,
      `${key} is now called ${ridgesOfSides.join(' and ')}, one for each side. ${ridgesOfSides.map((name) => `${name}: ${schema[name].description}`).join(' ')}`,
    );
  return new SettingsError(
    key,
    `There is no setting "${key}".${didYouMean(key, Object.keys(schema))} Known: ${Object.keys(schema).join(', ')}.`,
  );
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
    case 'numbers-by-name':
      for (const number of numbersByName(key, value).values()) {
        if (!(number >= setting.min && number <= setting.max)) {
          throw new SettingsError(
            key,
            `${key} is ${String(value)}; expected numbers from ${setting.min} to ${setting.max}. ${setting.description}`,
          );
        }
      }
      return String(value);
    default:
      return setting satisfies never;
  }
}

/**
 * The numbers of a setting like `genre:0.5,cast:2`; empty text has none. A name may hold colons, but no
 * comma.
 *
 * @throws SettingsError where it is not written so, or names something twice
 */
export function numbersByName(key: string, value: unknown): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const wrong = (why: string) =>
    new SettingsError(key, `${key} is ${String(value)}; ${why}. Write name:number,name:number.`);
  if (typeof value !== 'string') throw wrong('expected text');
  if (value.trim() === '') return numbers;
  for (const part of value.split(',')) {
    const at = part.lastIndexOf(':');
    const name = part.slice(0, Math.max(at, 0)).trim();
    const text = part.slice(at + 1).trim();
    if (name === '' || text === '' || !Number.isFinite(Number(text))) {
      throw wrong(`"${part.trim()}" is not a name and a number`);
    }
    if (numbers.has(name)) throw wrong(`"${name}" stands there twice`);
    numbers.set(name, Number(text));
  }
  return numbers;
}
