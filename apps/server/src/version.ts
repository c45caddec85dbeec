import { readFileSync } from 'node:fs';

/** Version of this package, as `/healthz` and the OpenAPI description give it. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
