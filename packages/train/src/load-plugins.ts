import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { guardedMethod, type Method, MethodNameTakenError, registerMethods } from '@hushrec/factorize';
import type { PluginStatement } from '@hushrec/model';

/** A plug-in that was loaded: what certificates say of it, its file, and the methods it brought. */
export interface LoadedPlugin extends PluginStatement {
  readonly file: string;
  readonly methods: readonly string[];
}

/** A plug-in cannot be used. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  readonly kind = 'usage';
  constructor(plugin: string, why: string, cause?: unknown) {
    super(`Plug-in ${plugin}: ${why}`, { cause });
  }
}

const loaded = new Map<string, LoadedPlugin>();

/** Files of the plug-ins that this process has loaded, for threads that need the same methods. */
export function loadedPlugins(): readonly string[] {
  return [...loaded.keys()];
}

/**
 * Loads a plug-in and makes its methods known by name: an ES module that exports `methods`, a list of what
 * `defineMethod` returned. Its code runs in this process, with everything that the process may read. So only
 * commands that train call this, and only for plug-ins that somebody named.
 *
 * @param plugin a file, or the name of a package that is installed where `from` is
 * @param from the folder that it is found from
 * @throws PluginError where there is none, or none that can be used; MethodNameTakenError
 */
export async function loadPlugin(plugin: string, from: string = process.cwd()): Promise<LoadedPlugin> {
  const { file, name } = foundFrom(plugin, from);
  const before = loaded.get(file);
  if (before !== undefined) return before;
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  const methods = await methodsOf(plugin, file);
  try {
    registerMethods(methods, { name, sha256 });
  } catch (error) {
    if (error instanceof MethodNameTakenError) throw new PluginError(plugin, error.message, error);
    throw error;
  }
  const found = { name, sha256, file, methods: methods.map(({ id }) => id) };
  loaded.set(file, found);
  return found;
}

/** The file of a plug-in, and its name for certificates: without folders, which tell of a machine. */
function foundFrom(plugin: string, from: string): { file: string; name: string } {
  const isFile = isAbsolute(plugin) || /^\.{1,2}[/\\]/.test(plugin) || /\.m?js$/.test(plugin);
  const require = createRequire(join(resolve(from), 'from-here.js'));
  try {
    const file = require.resolve(isFile ? resolve(from, plugin) : plugin);
    return { file, name: isFile ? basename(file) : packageOf(file) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    throw new PluginError(
      plugin,
      isFile
        ? `there is no file ${resolve(from, plugin)}.`
        : `no package of this name is installed in ${resolve(from)}. A file is named with its folder: ./${plugin}.js`,
      error,
    );
  }
}

/** `name@version` by the nearest package.json that has a name. */
function packageOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (typeof name === 'string') return `${name}@${String(version)}`;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return basename(file);
}

async function methodsOf(plugin: string, file: string): Promise<readonly Method[]> {
  let module: { readonly methods?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    throw new PluginError(plugin, `it could not be loaded: ${(error as Error).message}`, error);
  }
  const { methods } = module;
  if (!Array.isArray(methods) || methods.length === 0 || !methods.every(isMethod))
    throw new PluginError(
      plugin,
      "it exports no methods. Write: export const methods = [defineMethod({ … })]; with defineMethod of 'hushrec/plugin'.",
    );
  return methods.map(guardedMethod);
}

/** As far as an object shows it: `defineMethod` checks the rest by types. */
function isMethod(value: unknown): value is Method {
  const { id, title, paper, feedback, protects, settings, plan, train } = (value ?? {}) as Partial<Method>;
  return (
    [id, title, paper].every((text) => typeof text === 'string' && text !== '') &&
    /^[a-z][a-z0-9-]*$/.test(id!) &&
    [feedback, protects].every(Array.isArray) &&
    typeof settings === 'object' &&
    typeof plan === 'function' &&
    typeof train === 'function'
  );
}
