import { crossingTable } from './crossing-table.js';

/** Table 5: unbounded differential privacy. */
export const table5 = crossingTable('rating-presence', 'friedman/table5', 'Table 5', 11);
