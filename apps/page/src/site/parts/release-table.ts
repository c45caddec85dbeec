import type { PlanPreview } from '../server-interface.js';
import { dataTable } from './data-table.js';

/** Planned or certified releases, one a row: what noise rests on. */
export function releaseTable(releases: Readonly<PlanPreview['releases']>, label: string): HTMLElement {
  return dataTable(
    {
      columns: ['release', 'mechanism', 'sensitivity', 'noise', 'times'].map((name) => ({ label: name })),
      rows: releases.map(({ name, mechanism, sensitivity, noise, count }) => [
        name,
        mechanism,
        sensitivity,
        noise,
        count,
      ]),
    },
    label,
  );
}
