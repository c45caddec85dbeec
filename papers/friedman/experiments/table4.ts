import { crossingTable } from './crossing-table.js';
import { largeSets, smallSets } from './paper-settings.js';

/** Table 4: bounded differential privacy. */
export const table4 = crossingTable('rating-value', 'friedman/table4', 'Table 4', smallSets, 4, 0.4);
export const table4Large = crossingTable(
  'rating-value',
  'friedman/table4-large',
  'Table 4',
  largeSets,
  600,
  60,
);
