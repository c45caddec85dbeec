import { readFileSync } from 'node:fs';

/** Version of this package, as it stands in certificates and model files. */
export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
