import type { Method } from './method.js';
import { als } from './public/als.js';
import { itemAverage } from './public/item-average.js';
import { userLevelMethods } from './user-level/methods.js';

/** Every method by its name on the command line, in the order in which they are listed to people. */
export const methods: readonly Method[] = [
  // No privacy.
  als,
  itemAverage,
  // User-level.
  ...userLevelMethods,
  // Rating-level.
];

/** There is no method of this name. */
export class UnknownMethodError extends RangeError {
  override readonly name = 'UnknownMethodError';
  readonly method: string;
  constructor(method: string) {
    super(`There is no method "${method}". Known: ${methods.map((each) => each.id).join(', ')}.`);
    this.method = method;
  }
}

/** Looks a method up by its id; throws `UnknownMethodError` with the list of known ones. */
export function methodById(id: string): Method {
  const found = methods.find((each) => each.id === id);
  if (found === undefined) throw new UnknownMethodError(id);
  return found;
}
