import { didYouMean } from '@hushrec/factorize';
import { z } from 'zod';
import { OptionError } from '../command.js';

/** A schema for every option of an interface: one that is added without a schema stops the build. */
export type OptionShape<Options> = { readonly [Name in keyof Required<Options>]: z.ZodType };

/**
 * Checks options at run time, where types are not (JavaScript, JSON, environment variables): a value of
 * another type could change what is promised. The words are those of the command line for the same mistake.
 *
 * @throws OptionError that names the option, what was given and what is expected
 */
export function checkOptions<Options>(
  called: string,
  shape: OptionShape<Options>,
  options: unknown,
): asserts options is Options {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new OptionError(`${called}: the options are ${shown(options)}; expected an object.`);
  const known = Object.keys(shape);
  const checked = z.strictObject(shape).partial().safeParse(options);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const [name] = issue.keys;
    throw new OptionError(
      `${called}: there is no option "${name}".${didYouMean(name, known)} Options: ${known.join(', ')}.`,
    );
  }
  const name = String(issue.path[0]);
  const value = (options as Readonly<Record<string, unknown>>)[name];
  const expected = shape[name as keyof Options].description ?? issue.message;
  throw new OptionError(`${called}: ${name} is ${shown(value)}; expected ${expected}.`);
}

/** An argument that is the name of a file, folder or address. */
export function checkName(called: string, what: string, value: unknown): asserts value is string {
  if (!isName(value)) throw new OptionError(`${called}: ${what} is ${shown(value)}; expected a text.`);
}

/** What was given, short, and so that "1" does not look like 1. */
function shown(value: unknown): string {
  if (typeof value === 'number' || value === null || value === undefined) return String(value);
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `${text.length > 60 ? `${text.slice(0, 60)}…` : text} (a ${typeof value})`;
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A value that `holds`, and what is expected, in words. */
export function option<Value>(expected: string, holds: (value: unknown) => boolean): z.ZodType<Value> {
  return z.custom<Value>(holds).describe(expected);
}

/** A whole number, as the command line says it. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  option<number>(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  );

export const finiteNumber = option<number>('a number', Number.isFinite);
export const flag = option<boolean>('true or false', (value) => typeof value === 'boolean');
export const name = option<string>('a text', isName);
export const text = option<string>('a text', (value) => typeof value === 'string');
export const names = option<readonly string[]>(
  'a list of texts',
  (value) => Array.isArray(value) && value.every(isName),
);
export const callback = option<(...args: never[]) => unknown>(
  'a function',
  (value) => typeof value === 'function',
);
export const signal = option<AbortSignal>(
  'the signal of an AbortController',
  (value) => value instanceof AbortSignal,
);

export const oneOf = (...values: readonly string[]) =>
  option<string>(values.map((value) => `'${value}'`).join(' or '), (value) =>
    values.includes(value as string),
  );
