import { exceptionSentence, promiseParts, shownEpsilon, strengthOf } from '@hushrec/model/words';
import type { PrivacyUnit } from '@hushrec/privacy';
import { formatNumber } from '@hushrec/report';
import { largestThatFits } from '../budget-plan.js';
import { button, element } from '../build-element.js';
import type { PlanPreview } from '../server-interface.js';
import { promiseLine } from './promise-line.js';
import { releaseTable } from './release-table.js';
import { sameAtOtherDelta } from './same-at-other-delta.js';

/** What a run would promise, what that leaves of the budget, and the releases it rests on. */
export function planPreview(plan: PlanPreview, use: (epsilon: number) => void): HTMLElement[] {
  const guarantee = { unit: plan.unit as PrivacyUnit, epsilon: plan.epsilon };
  const parts = promiseParts(guarantee);
  return [
    element('p', { class: 'micro' }, 'The promise you are about to make'),
    parts === undefined
      ? element('p', { class: 'promise of-plan' }, 'No privacy: nobody is protected.')
      : promiseLine(parts, 'promise of-plan'),
    element(
      'p',
      { class: 'row' },
      element(
        'span',
        { class: `chip ${plan.epsilon === null ? 'none' : strengthOf(plan.epsilon).replace('mostly ', '')}` },
        plan.epsilon === null
          ? 'no privacy'
          : `ε = ${shownEpsilon(plan.epsilon)}, δ = ${formatNumber(plan.delta)}`,
      ),
      plan.epsilon === null ? null : element('span', { class: 'small quiet' }, exceptionSentence(plan.delta)),
    ),
    ...budgetParts(plan, use),
    element(
      'details',
      {},
      element('summary', {}, 'In full, release by release'),
      ...plan.words.map((sentence) => element('p', { class: 'small' }, sentence)),
      plan.releases.length === 0
        ? element('p', { class: 'small quiet' }, 'No noised releases.')
        : releaseTable(plan.releases, 'Planned releases'),
    ),
  ];
}

/** The ledger would refuse this run. */
export function exceedsBudget({ budget }: PlanPreview): boolean {
  if (budget === null || budget.granted === null) return false;
  return budget.after === null || budget.after > budget.granted;
}

/** What is left of the data set's budget after this run; the server says so when a ledger keeps one. */
function budgetParts(plan: PlanPreview, use: (epsilon: number) => void): HTMLElement[] {
  const { budget } = plan;
  // The form asks what to do then.
  if (budget === null || plan.isUnprotected) return [];
  const { granted, spent, after, delta } = budget;
  if (granted === null) {
    return [
      element(
        'p',
        { class: 'small quiet' },
        `No limit is set. All runs together would cost ε = ${shownEpsilon(after)}.${otherDelta(plan)}`,
      ),
    ];
  }
  if (!exceedsBudget(plan))
    return [
      element(
        'p',
        { class: 'notice good' },
        `Account after this run: ${shownEpsilon(spent, 3)} → ${shownEpsilon(after, 3)} of ${shownEpsilon(granted)}.${otherDelta(plan)}`,
      ),
    ];
  const fitting = spent === null ? 0 : largestThatFits({ spent, granted, delta }, plan.delta);
  return [
    element(
      'div',
      { class: 'notice bad' },
      element(
        'p',
        {},
        element('strong', {}, 'This run would be refused. '),
        `It would bring the account to ε = ${shownEpsilon(after)}; the grant is ${shownEpsilon(granted)}. `,
        fitting > 0 ? `Up to ε = ${fitting} fits today.` : 'Nothing more fits.',
        otherDelta(plan),
      ),
      element(
        'p',
        { class: 'row' },
        fitting > 0 ? button(`Use ε = ${fitting}`, () => use(fitting)) : null,
        element('a', { class: 'button', href: '#/ledger' }, 'To the grant'),
      ),
    ),
  ];
}

/** Why the account moves by another number than the run promises, where its δ is another one. */
function otherDelta({ budget, epsilon, delta }: PlanPreview): string {
  if (budget === null || budget.own === null || epsilon === null || budget.delta === delta) return '';
  return ` ${sameAtOtherDelta({ epsilon, delta }, { epsilon: budget.own, delta: budget.delta })}`;
}
