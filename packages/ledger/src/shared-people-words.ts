import type { AccountState } from './account-state.js';
import type { SharedPeople } from './ledger-requests.js';

/** What to type for an account: its name where no other has it, else its id. */
export function callableName(accounts: ReadonlyMap<string, AccountState>, account: string): string {
  const name = accounts.get(account)?.name ?? null;
  if (name === null) return account;
  const isUnique = [...accounts].every(([id, state]) => id === account || state.name !== name);
  return isUnique ? typed(name) : account;
}

/** How to say whether accounts that share people are the same ones. */
export function answerWords(
  accounts: ReadonlyMap<string, AccountState>,
  account: string,
  shared: readonly SharedPeople[],
): string {
  const own = callableName(accounts, account);
  const commands = (verb: string) =>
    shared
      .map((each) => `\`hushrec ledger ${verb} ${own} ${callableName(accounts, each.account)}\``)
      .join(', ');
  return (
    `If they are the same people: ${commands('merge')}; what all spent then counts together, and the stricter grant holds. ` +
    `If only the ids look alike: ${commands('different')}; that is written down, and not asked again.`
  );
}

export function percent(share: number): string {
  return share < 0.01 ? 'less than 1%' : `${Math.round(100 * share)}%`;
}

/** As it is typed in a shell. */
function typed(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`;
}
