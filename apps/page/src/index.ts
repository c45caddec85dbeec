// @internal: for the packages beside this one, not an interface (docs/policy.md).

import { fileURLToPath } from 'node:url';

/** Folder of the built page: `index.html` and what it loads. Made by `tools/page-bundle.mjs`. */
export const siteDirectory: string = fileURLToPath(new URL('../dist/public', import.meta.url));
