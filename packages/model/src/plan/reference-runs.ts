import type { ReferenceRun } from './reference-run.js';

/** Written by `npm run plan:reference`: do not edit. */
export const referenceRuns: readonly ReferenceRun[] = [];
