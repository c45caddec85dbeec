import { budgetFigures } from './budget-figures.js';
import { ledgerView } from './ledger-view.js';
import { planPreview } from './plan-preview.js';

/** What the accounting thread can be asked: composing many releases takes from a microsecond to seconds. */
export const accountingTasks = { planPreview, ledgerView, budgetFigures } as const;
export type AccountingTasks = typeof accountingTasks;
