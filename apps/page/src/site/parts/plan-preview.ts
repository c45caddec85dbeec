import { formatNumber } from '@hushrec/report';
import { element } from '../build-element.js';
import type { PlanPreview } from '../server-interface.js';
import { dataTable } from './data-table.js';

/** What a run would promise, what that leaves of the budget, and the releases it rests on. */
export function planPreview(plan: PlanPreview): HTMLElement[] {
  return [
    element(
      'p',
      {},
      element(
        'span',
        { class: `chip ${plan.epsilon === null ? 'bad' : 'good'}` },
        plan.epsilon === null
          ? 'no privacy'
          : `ε = ${formatNumber(plan.epsilon)}, δ = ${formatNumber(plan.delta)}`,
      ),
    ),
    ...plan.words.map((sentence) => element('p', {}, sentence)),
    ...budgetParts(plan),
    plan.releases.length === 0
      ? element('p', { class: 'small quiet' }, 'No noised releases.')
      : element(
          'details',
          {},
          element('summary', {}, 'The plan, release by release'),
          dataTable(
            {
              columns: [
                { label: 'release' },
                { label: 'mechanism' },
                { label: 'sensitivity' },
                { label: 'noise' },
                { label: 'times' },
              ],
              rows: plan.releases.map(({ name, mechanism, sensitivity, noise, count }) => [
                name,
                mechanism,
                sensitivity,
                noise,
                count,
              ]),
            },
            'Planned releases',
          ),
        ),
  ];
}

/** The ledger would refuse this run. */
export function exceedsBudget({ budget }: PlanPreview): boolean {
  if (budget === null || budget.granted === null) return false;
  return budget.after === null || budget.after > budget.granted;
}

/** What is left of the data set's budget after this run; the server says so when a ledger keeps one. */
function budgetParts(plan: PlanPreview): HTMLElement[] {
  const { budget } = plan;
  if (budget === null) return [];
  if (budget.granted === null) {
    return [
      element(
        'p',
        { class: 'small quiet' },
        `No limit is set for this data set. All runs together would cost ε = ${show(budget.after)}.`,
      ),
    ];
  }
  const isOver = exceedsBudget(plan);
  return [
    element(
      'p',
      { class: isOver ? 'notice bad' : 'notice good' },
      isOver
        ? `The budget does not allow this run: ε = ${show(budget.granted)} was granted, ε = ${show(budget.spent)} is spent, and together with this run it would be ε = ${show(budget.after)}.`
        : `Budget of this data set: ε = ${show(budget.spent)} of ${show(budget.granted)} is spent; ε = ${show(budget.after)} after this run.`,
    ),
  ];
}

function show(epsilon: number | null): string {
  return epsilon === null ? '∞' : formatNumber(epsilon);
}
