import type { PluginStatement } from '@hushrec/model';
import { hush } from './hush/hush.js';
import type { Method } from './method.js';
import { didYouMean } from './nearest-name.js';
import { publicMethods } from './public/methods.js';

const known: Method[] = [...publicMethods, hush];

/**
 * Every method by its name on the command line, in the order in which they are listed: those without privacy,
 * `hush`, then what was registered.
 */
export const methods: readonly Method[] = known;

/** Two methods have the same name. */
export class MethodNameTakenError extends RangeError {
  override readonly name = 'MethodNameTakenError';
  readonly kind = 'usage';
  constructor(id: string) {
    super(`There is a method "${id}" already. Give the new one another id.`);
  }
}

const plugins = new WeakMap<Method, PluginStatement>();

/** Where a method comes from that is not part of this product; undefined for those that are. */
export function pluginOf(method: Method): PluginStatement | undefined {
  return plugins.get(method);
}

/**
 * Makes methods known by name: the one door for the papers' methods and for plug-ins. Registering the same
 * method again changes nothing.
 *
 * @param plugin where they come from; absent for methods of this product
 * @throws MethodNameTakenError where another method has the name; then none is registered
 */
export function registerMethods(added: readonly Method[], plugin?: PluginStatement): void {
  const fresh = added.filter((method) => !known.includes(method));
  const ids = new Set(known.map(({ id }) => id));
  for (const { id } of fresh) {
    if (ids.has(id)) throw new MethodNameTakenError(id);
    ids.add(id);
  }
  known.push(...fresh);
  if (plugin !== undefined) for (const method of fresh) plugins.set(method, plugin);
}

/** There is no method of this name. */
export class UnknownMethodError extends RangeError {
  override readonly name = 'UnknownMethodError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    const ids = methods.map((each) => each.id);
    super(`There is no method "${method}".${didYouMean(method, ids)} Known: ${ids.join(', ')}.`);
    this.method = method;
  }
}

/** Looks a method up by its id. @throws UnknownMethodError with the list of known ones */
export function methodById(id: string): Method {
  const found = methods.find((each) => each.id === id);
  if (found === undefined) throw new UnknownMethodError(id);
  return found;
}
