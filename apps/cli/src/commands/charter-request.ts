import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { usualDelta } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import type { FeatureFlags } from '../feature-files.js';
import type { NoiseFlags } from './federate-noise.js';

/** What the writer of a charter decides, as `run.json` says it. */
export interface RunRequest extends NoiseFlags, FeatureFlags {
  /** A table of items, or a data set folder. */
  readonly catalogue: string;
  readonly scale?: string;
  readonly method: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly epsilon: number;
  readonly delta: number;
  readonly people: number;
  readonly coordinator: string;
  readonly aggregators: readonly string[];
  readonly parties: readonly string[];
  readonly issuer?: string;
  readonly least?: number;
  readonly longest?: number;
  readonly opens?: string;
  readonly window?: number;
  readonly screening?: number;
  readonly normProofs?: boolean;
  readonly visits?: number;
}

/** Fields of the file and what each is; those with a mark must be there. */
export const requestFields = [
  ['catalogue', 'public items: a table (item,title,…) or a data set folder, of which no rating is read', '*'],
  ['scale', 'declared rating scale, min:max:step; that of a data set folder when absent'],
  ['method', 'training method; it must protect people (hush)'],
  ['settings', 'of the method, by name'],
  ['epsilon', 'privacy bound ε of the whole run for one person', '*'],
  ['delta', `probability δ with which the bound may fail (${usualDelta})`],
  ['people', 'most people that can take part: sizes the words, no noise depends on it', '*'],
  ['coordinator', 'identity.json of the coordinator', '*'],
  ['aggregators', 'list of their identity.json, two or more', '*'],
  ['parties', 'list of identity.json; without parties everyone may take part'],
  ['issuer', 'identity.json of the office that invites devices; without it everyone may vote many times'],
  ['features', 'list of public item features: files, or {"file", "kind"}; an empty list for none at all'],
  ['noiseBy', 'aggregators or parties (parties where there are 4 or more, else aggregators)'],
  ['honest', 'how many of those who add noise must be honest (aggregators: 1; parties: all but 2)'],
  ['least', 'fewer reports are never added up (parties: all of them)'],
  ['longest', 'seconds that an exchange waits for absent parties (3600)'],
  ['opens', 'for devices: when the first window opens (ISO 8601)'],
  ['window', 'for devices: seconds that each window is open'],
  ['visits', 'for devices: seconds between visits, if longer than a window (604800 for once a week)'],
  ['screening', 'for devices: part of the privacy set aside to find impossible reports (0.05); 0 for none'],
  ['normProofs', 'true for devices and two aggregators: each report proves its length; no screening then'],
] as const satisfies readonly (readonly [string, string, '*'?])[];

/** Paths in the file are relative to its folder. @throws CommandError naming the field */
export async function readRequest(path: string): Promise<RunRequest> {
  const fail = (fault: string): never => {
    throw new CommandError(
      exitCodes.wrongUsage,
      `${path}: ${fault} \`hushrec federate charter --help\` lists the fields.`,
    );
  };
  const given = await readObject(path, fail);
  const unknown = Object.keys(given).filter((key) => !requestFields.some(([name]) => name === key));
  if (unknown.length > 0)
    fail(`there is no field ${unknown.map((each) => JSON.stringify(each)).join(' or ')}.`);
  for (const [name, , isNeeded] of requestFields)
    if (isNeeded !== undefined && given[name] === undefined) fail(`"${name}" is missing.`);
  const read = fieldReader(given, fail);
  const place = (text: string) => resolve(dirname(path), text);
  const placeOf = (name: string) => {
    const text = read.text(name);
    return text === undefined ? undefined : place(text);
  };
  const noiseBy = read.text('noiseBy');
  if (noiseBy !== undefined && noiseBy !== 'aggregators' && noiseBy !== 'parties')
    fail(`"noiseBy" is ${JSON.stringify(noiseBy)}; expected aggregators or parties.`);
  return {
    ...present({ issuer: placeOf('issuer'), scale: read.text('scale'), opens: read.text('opens') }),
    ...present({ honest: read.whole('honest'), least: read.whole('least') }),
    ...present({ window: read.whole('window'), visits: read.whole('visits') }),
    ...present({ longest: read.whole('longest'), screening: read.number('screening') }),
    ...present({ normProofs: read.flag('normProofs') }),
    ...present({ noiseBy: noiseBy as RunRequest['noiseBy'] }),
    ...featuresOf(given['features'], place, fail),
    catalogue: placeOf('catalogue')!,
    method: read.text('method') ?? 'hush',
    settings: read.settings('settings'),
    epsilon: read.number('epsilon')!,
    delta: read.number('delta') ?? usualDelta,
    people: read.whole('people')!,
    coordinator: placeOf('coordinator')!,
    aggregators: read.list('aggregators').map(place),
    parties: read.list('parties').map(place),
  };
}

type Fail = (fault: string) => never;

async function readObject(path: string, fail: Fail): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    fail(error.code === 'ENOENT' ? 'there is no such file.' : 'this is not a file that can be read.'),
  );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    fail(`this is not JSON (${(error as Error).message}).`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail('expected an object with fields.');
  return value as Readonly<Record<string, unknown>>;
}

/** Reads fields by name; undefined where one is absent. */
function fieldReader(given: Readonly<Record<string, unknown>>, fail: Fail) {
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const field = <T>(name: string, isRight: (value: unknown) => value is T, expected: string) => {
    const value = given[name];
    if (value === undefined || isRight(value)) return value;
    return fail(`"${name}" is ${JSON.stringify(value)}; expected ${expected}.`);
  };
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
  const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
  const isNumber = (value: unknown): value is number => typeof value === 'number';
  const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
  const isSettings = (value: unknown): value is Record<string, string | number | boolean> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each));
  return {
    text: (name: string) => field(name, isText, 'a text'),
    flag: (name: string) => field(name, isFlag, 'true or false'),
    number: (name: string) => field(name, isNumber, 'a number'),
    whole: (name: string) => field(name, isWhole, 'a whole number from 1'),
    list: (name: string) => field(name, isList, 'a list of paths') ?? [],
    settings: (name: string) =>
      Object.fromEntries(
        Object.entries(field(name, isSettings, 'an object of settings') ?? {}).map(([key, value]) => [
          key,
          String(value),
        ]),
      ),
  };
}

/** As `--features` and `--kind` say it elsewhere. */
function featuresOf(given: unknown, place: (path: string) => string, fail: Fail): FeatureFlags {
  if (given === undefined) return {};
  if (!Array.isArray(given)) return fail('"features" is no list.');
  if (given.length === 0) return { features: ['none'] };
  const sources = given.map((each) => {
    const { file, kind = 'categorical' } = typeof each === 'string' ? { file: each } : (each ?? {});
    if (typeof file !== 'string' || typeof kind !== 'string')
      return fail(`"features" has ${JSON.stringify(each)}; expected a file or {"file", "kind"}.`);
    return { file: place(file), kind };
  });
  return { features: sources.map(({ file }) => file), kind: sources.map(({ kind }) => kind) };
}

/** Without the fields that are undefined. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
