import type { Balance, Grant, Ledger, NamedAccount, Protection } from '@hushrec/ledger';
import { epsilonLeft, epsilonOverPeriods } from './budget-left.js';
import { deltaText, epsilonText, lowerBoundText } from './number-text.js';

/** What `balanceJson` holds. */
export const balanceFields = [
  'account',
  'name',
  'grant',
  'alsoGranted',
  'merged',
  'different',
  'clock',
  'period',
  'refused',
  'runs',
  'unfinishedRuns',
  'unprotectedRuns',
  'losses',
  'spent',
  'spentEver',
] as const satisfies readonly (keyof Balance)[];

/** Where an account stands, for `--json`. ε without bound is `null`. */
export function balanceJson(balance: Balance) {
  const finite = (costs: Balance['spent']) =>
    costs.map((each) => ({ ...each, epsilon: Number.isFinite(each.epsilon) ? each.epsilon : null }));
  return { ...balance, spent: finite(balance.spent), spentEver: finite(balance.spentEver) };
}

/** The same in words. */
export function balanceText(balance: Balance, ledger: Ledger): string {
  const { grant, spent, spentEver, runs, unfinishedRuns, refused, period, name } = balance;
  const left = epsilonLeft(balance);
  const spentText = (each: Balance['spent'][number]) =>
    `ε = ${epsilonText(each.epsilon)} at δ = ${deltaText(each.delta)} (${protectionText(each.protection)}; ${each.accountant})`;
  return [
    `Account   ${name === null ? '' : `${name}, `}${balance.account}`,
    `Ledger    ${ledger.location}`,
    `Granted   ${grant === null ? 'no limit was set; runs are recorded only' : grantText(grant)}`,
    ...balance.alsoGranted.map((each) => `And       ${grantText(each)}; each run must fit this one too`),
    ...(balance.merged.length === 0
      ? []
      : [`Merged    ${accountsText(balance.merged)}; what was spent there counts here`]),
    ...(balance.different.length === 0
      ? []
      : [`Different ${accountsText(balance.different)}; declared to hold other people`]),
    ...(period === null
      ? []
      : [`Period    ${period.from} to ${period.until}, that day excluded; it counts what was spent in it`]),
    ...(balance.clock === null || period === null
      ? []
      : [
          `Clock     the newest entry is of ${balance.clock.newest}, this machine says ${balance.clock.now}: a clock was ahead, and the period lasts until that date`,
        ]),
    ...(refused ? ['Refused   nothing more may be spent until another grant'] : []),
    ...(spent.length === 0 ? ['Spent     nothing'] : []),
    ...spent.map((each) => `Spent     ${spentText(each)}`),
    ...(period === null ? [] : spentEver.map((each) => `Ever      ${spentText(each)}`)),
    ...(left === undefined || grant === null
      ? []
      : [
          `Left      one more run with Gaussian noise may take ε = ${lowerBoundText(left)} at δ = ${deltaText(grant.delta)}`,
        ]),
    ...(balance.unprotectedRuns > 0
      ? [
          `Beside it ${balance.unprotectedRuns} ${balance.unprotectedRuns === 1 ? 'run' : 'runs'} without protection: no ε covers them`,
        ]
      : []),
    ...(balance.losses > 0
      ? [`Lost      entries were lost ${balance.losses} times; what was spent in them is not counted`]
      : []),
    `Runs      ${runs}${unfinishedRuns > 0 ? `, of which ${unfinishedRuns} did not report their end (they count all the same)` : ''}`,
  ].join('\n');
}

/** What a grant that starts anew means for someone who stays. */
export function stayingText({ epsilon, delta, period }: Pick<Grant, 'epsilon' | 'delta' | 'period'>): string {
  if (period === null) return '';
  const over = (times: number) => epsilonText(epsilonOverPeriods(epsilon, delta, times));
  return (
    `The limit holds for each ${period} by itself. Someone whose data stays is in all of them: after 2 ${period}s ε = ${over(2)}, ` +
    `after 5 ε = ${over(5)}, after 10 ε = ${over(10)} at δ = ${deltaText(delta)} if all noise is Gaussian and all of it is spent, ` +
    `and around the turn of a ${period} both sides count within days. If you promise people a total, grant without --per.`
  );
}

function grantText({ epsilon, delta, protection, period, note }: Grant): string {
  return `ε = ${epsilon}${period === null ? '' : ` a ${period}`}, δ = ${deltaText(delta)} (${protectionText(protection)})${note === '' ? '' : `: ${note}`}`;
}

function accountsText(accounts: readonly NamedAccount[]): string {
  return accounts.map(({ account, name }) => (name === null ? account : `${name} (${account})`)).join(', ');
}

function protectionText({ unit, relation }: Protection): string {
  return `${unit}, ${relation}`;
}
