import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { AccountState, Ledger, PeopleElsewhere, SharedPeople } from '@hushrec/ledger';
import type { DatasetAccount, ImportOptions, ImportReport } from '@hushrec/ratings';
import type { CommandContext } from './command.js';
import { accountCalled, type LedgerFlags } from './dataset-ledger.js';

/** What an import needs to know whose budget its people spend from. */
export interface AccountFlags extends LedgerFlags {
  readonly account?: string;
}

/**
 * Imports with an account: that of the data set in the folder, the one `--account` names, or a new one.
 * People who are in another account too are noticed; where a budget is at stake somebody has to say which
 * account they belong to. The ledger remembers the people, as a keyed sketch, before the folder is put in
 * place: an import that dies may leave too many in a sketch, which is harmless, but nobody unknown.
 */
export async function importIntoAccount<Report extends Pick<ImportReport, 'manifest'>>(
  directory: string,
  flags: AccountFlags,
  context: Pick<CommandContext, 'say'>,
  run: (options: Required<Pick<ImportOptions, 'chooseAccount'>>) => Promise<Report>,
): Promise<Report & { readonly ledger: string }> {
  const { ledgerPlace, openLedger } = await import('@hushrec/ledger');
  const { location, isDefault } = ledgerPlace(flags.ledger);
  const ledger = await openLedger(location, {
    create: isDefault || flags.newLedger === true,
    ...(existsSync(join(directory, 'dataset.json')) && { markIn: directory }),
  });
  try {
    let different: readonly SharedPeople[] = [];
    const report = await run({
      chooseAccount: async ({ userIds, existing }) => {
        const chosen = await chosenAccount(directory, flags.account, ledger, existing);
        const settled = await settledAccount(ledger, chosen, userIds, context);
        different = settled.different;
        await ledger.addPeople(settled.account.id, userIds);
        return settled.account;
      },
    });
    const { account } = report.manifest;
    // Names and declarations come last: they would stay behind if the import failed. Where one is missing,
    // the next command asks again.
    await ledger.nameAccount(account.id, account.name);
    for (const { account: other } of different)
      await ledger.declareDifferent(account.id, other, `said at import by --account ${account.name}`);
    return { ...report, ledger: ledger.location };
  } finally {
    await ledger.close();
  }
}

/** The account that was named or follows from the folder, and what the folder's own one was. */
interface ChosenAccount {
  readonly account: DatasetAccount;
  /** Of the data set that is in the folder now. */
  readonly own: DatasetAccount | undefined;
  /** A name that no account had was typed: “these are other people”. */
  readonly isNewName: boolean;
}

async function chosenAccount(
  directory: string,
  named: string | undefined,
  ledger: Ledger,
  existing: () => Promise<DatasetAccount | undefined>,
): Promise<ChosenAccount> {
  const { newAccount } = await import('@hushrec/ratings');
  if (named === undefined) {
    const own = await existing();
    const account = own ?? newAccount(basename(resolve(directory)).replace(/\.hushrec$/, ''));
    return { account, own, isNewName: false };
  }
  const own = await existing().catch(() => undefined);
  if (own !== undefined && (own.id === named || own.name === named))
    return { account: own, own, isNewName: false };
  const isKnown = [...(await ledger.accounts())].some(([id, { name }]) => id === named || name === named);
  return {
    account: isKnown ? await accountCalled(named, ledger) : newAccount(named),
    own,
    isNewName: !isKnown,
  };
}

/**
 * The account that the people go into, and accounts that are hereby declared to hold other people. Nobody is
 * moved away from a limit or from what was spent: where the folder's own account has either and the one that
 * was named has neither, that one is merged into it.
 *
 * @throws SharedPeopleError where somebody must first say whether accounts hold the same people
 */
async function settledAccount(
  ledger: Ledger,
  { account, own, isNewName }: ChosenAccount,
  userIds: readonly string[],
  context: Pick<CommandContext, 'say'>,
): Promise<{ readonly account: DatasetAccount; readonly different: readonly SharedPeople[] }> {
  const { isIdle, sharedLimit } = await import('@hushrec/ledger');
  const accounts = await ledger.accounts();
  const rootOf = (id: string) => accounts.get(id)?.mergedInto ?? id;
  const elsewhere = await ledger.sharedWith(userIds, account.id);
  const left = own && rootOf(own.id) !== rootOf(account.id) ? rootOf(own.id) : undefined;
  const leaving = elsewhere.accounts.find(
    (each) => each.account === left && !each.isIdle && Math.max(each.share, each.accountShare) > sharedLimit,
  );
  if (leaving !== undefined && own !== undefined) {
    const target = accounts.get(account.id);
    if (isNewName || (target !== undefined && !isIdle(target)))
      throw await sharedPeopleError(ledger, accounts, own, account, { ...elsewhere, atStake: [leaving] });
    await ledger.merge(own.id, account.id, 'said at import by --account');
    context.say(
      `Account ${account.name} had neither a grant nor spends, and ${own.name} has: ${account.name} is now part of ${own.name}, and one budget covers both.`,
    );
    return settledAccount(ledger, { account: own, own, isNewName: false }, userIds, context);
  }
  const { atStake } = elsewhere;
  if (atStake.length > 0 && !isNewName)
    throw await sharedPeopleError(ledger, accounts, own, account, elsewhere);
  const shared = atStake.length > 0 ? atStake : noticeable(elsewhere, accounts, sharedLimit);
  if (shared.length > 0)
    context.say(
      `Of these people, by their ids, ${await foundWords(shared, elsewhere)}. ` +
        (atStake.length > 0
          ? 'You gave them an account of their own: the ledger records that they are other people, and each account has its own budget.'
          : 'Neither limits the other so far. Once one has a budget, the ledger asks whether they are the same people.'),
    );
  return { account, different: atStake };
}

/**
 * Accounts to be told of although nothing is at stake. Those that no command has named are of failed imports.
 */
function noticeable(
  { accounts: found, share }: PeopleElsewhere,
  accounts: ReadonlyMap<string, AccountState>,
  limit: number,
): readonly SharedPeople[] {
  const known = found.filter(({ account }) => accounts.has(account));
  const alone = known.filter((each) => Math.max(each.share, each.accountShare, each.shareInParts) > limit);
  return alone.length === 0 && share > limit ? known : alone;
}

/**
 * What to do where a budget is at stake. An account that has neither a limit nor spends joins the one that
 * has; two that both matter are merged or declared different.
 */
async function sharedPeopleError(
  ledger: Ledger,
  accounts: ReadonlyMap<string, AccountState>,
  own: DatasetAccount | undefined,
  account: DatasetAccount,
  elsewhere: PeopleElsewhere,
): Promise<Error> {
  const { answerWords, callableName, isIdle, SharedPeopleError } = await import('@hushrec/ledger');
  const { atStake } = elsewhere;
  const [first] = atStake;
  const state = accounts.get(account.id);
  const isKnown = state !== undefined;
  const isFree = !isKnown || isIdle(state);
  const isLeaving = own !== undefined && first.account === (accounts.get(own.id)?.mergedInto ?? own.id);
  const join = `--account ${callableName(accounts, first.account)} if they are the same people, so that one budget covers both`;
  const advice = isLeaving
    ? isKnown
      ? `This data set belongs to ${own.name}, and must not leave its budget. ${answerWords(accounts, account.id, [first])} Then import again without --account.`
      : `This data set belongs to ${own.name}, and must not leave its budget. Leave --account out; import other people into another folder.`
    : isFree
      ? `Say which account they belong to: ${join}; ` +
        (isKnown
          ? `\`hushrec ledger different ${callableName(accounts, account.id)} ${callableName(accounts, first.account)}\` if only the ids look alike.`
          : '--account NAME, a new name, if only the ids look alike.')
      : `${answerWords(accounts, account.id, atStake)} Then import again.`;
  return new SharedPeopleError(
    `Of these people, by their ids, ${await foundWords(atStake, elsewhere)}, and there is a budget (${ledger.location}). ${advice}`,
    first,
  );
}

/** Which share of the people is in which accounts. */
async function foundWords(
  shared: readonly SharedPeople[],
  { isSpread, share, shareAtStake, atStake }: PeopleElsewhere,
): Promise<string> {
  const { percent, sharedLimit } = await import('@hushrec/ledger');
  /** What of another account's people these are, where that is more than what they are of the import. */
  const whole = (each: SharedPeople) => {
    if (each.share > sharedLimit) return '';
    if (each.accountShare > sharedLimit) return ` (${percent(each.accountShare)} of its people)`;
    return each.shareInParts > sharedLimit
      ? ` (${percent(each.accountShare)} of its people; with earlier imports ${percent(each.shareInParts)} of them are in other accounts)`
      : '';
  };
  const called = ({ account, name }: SharedPeople) => (name === null ? account : `${name} (${account})`);
  const found = shared.map(
    (each) => `about ${percent(each.share)} are in account ${called(each)} too${whole(each)}`,
  );
  const together = atStake.length > 0 ? shareAtStake : share;
  const isTogether = shared.length > 1 && (isSpread || shared.every((each) => each.share <= sharedLimit));
  return found.join(', ') + (isTogether ? `, together ${percent(together)}` : '');
}
