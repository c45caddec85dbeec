import { hush } from './hush/hush.js';
import type { Method } from './method.js';
import { didYouMean } from './nearest-name.js';
import { publicMethods } from './public/methods.js';
import { ratingLevelMethods } from './rating-level/methods.js';
import { userLevelMethods } from './user-level/methods.js';

/** Every method by its name on the command line, in the order in which they are listed to people. */
export const methods: readonly Method[] = [
  // No privacy.
  ...publicMethods,
  // User-level.
  ...userLevelMethods,
  hush,
  // Rating-level.
  ...ratingLevelMethods,
];

/** There is no method of this name. */
export class UnknownMethodError extends RangeError {
  override readonly name = 'UnknownMethodError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    const known = methods.map((each) => each.id);
    super(`There is no method "${method}".${didYouMean(method, known)} Known: ${known.join(', ')}.`);
    this.method = method;
  }
}

/** Looks a method up by its id; throws `UnknownMethodError` with the list of known ones. */
export function methodById(id: string): Method {
  const found = methods.find((each) => each.id === id);
  if (found === undefined) throw new UnknownMethodError(id);
  return found;
}
