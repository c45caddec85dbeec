import { crossingTable } from './crossing-table.js';

/** Table 4: bounded differential privacy. */
export const table4 = crossingTable('rating-value', 'friedman/table4', 'Table 4', 4);
