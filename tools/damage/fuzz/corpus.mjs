import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Inputs that once broke something, one file each, tried first in every run. `options.json` beside them says
 * how a file is to be read where its name does not.
 */
export function corpusOf(target) {
  const folder = fileURLToPath(new URL(`corpus/${target}`, import.meta.url));
  if (!existsSync(folder)) return [];
  const optionsFile = join(folder, 'options.json');
  const options = existsSync(optionsFile) ? JSON.parse(readFileSync(optionsFile, 'utf8')) : {};
  return readdirSync(folder)
    .filter((name) => name !== 'options.json')
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)), options: options[name] ?? {} }));
}
