import { crossingTable } from './crossing-table.js';
import { largeSets, smallSets } from './paper-settings.js';

/** Table 5: unbounded differential privacy. */
export const table5 = crossingTable('rating-presence', 'friedman/table5', 'Table 5', smallSets, 11, 0.5);
export const table5Large = crossingTable(
  'rating-presence',
  'friedman/table5-large',
  'Table 5',
  largeSets,
  600,
  60,
);
