import type { ItemChoice } from '@hushrec/recommend';
import { type OptionShape, option } from './checked-options.js';

/** A text would be taken for a list of its letters. */
const ids = option<Iterable<string>>(
  'a list or set of ids',
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
);

/** Names in a list. */
export const names = option<readonly string[]>(
  'a list of names',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
);

/** Options of the command line, by the names of the library. */
export const choiceOptions: OptionShape<ItemChoice> = { only: ids, exclude: ids };
