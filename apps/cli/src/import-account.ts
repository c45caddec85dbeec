import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Ledger, SharedPeople } from '@hushrec/ledger';
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
 * account they belong to. The ledger remembers the people, as a keyed sketch, when the folder is written.
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
    let people: readonly string[] = [];
    const report = await run({
      chooseAccount: async ({ userIds, existing }) => {
        people = userIds;
        const account = await chosenAccount(directory, flags.account, ledger, existing);
        await refuseSharedPeople(ledger, account, userIds, flags.account !== undefined, context);
        return account;
      },
    });
    const { account } = report.manifest;
    await ledger.nameAccount(account.id, account.name);
    await ledger.addPeople(account.id, people);
    return { ...report, ledger: ledger.location };
  } finally {
    await ledger.close();
  }
}

async function chosenAccount(
  directory: string,
  named: string | undefined,
  ledger: Ledger,
  existing: () => Promise<DatasetAccount | undefined>,
): Promise<DatasetAccount> {
  const { newAccount } = await import('@hushrec/ratings');
  if (named === undefined)
    return (await existing()) ?? newAccount(basename(resolve(directory)).replace(/\.hushrec$/, ''));
  const own = await existing().catch(() => undefined);
  if (own !== undefined && (own.id === named || own.name === named)) return own;
  const isKnown = [...(await ledger.accounts())].some(([id, { name }]) => id === named || name === named);
  return isKnown ? accountCalled(named, ledger) : newAccount(named);
}

async function refuseSharedPeople(
  ledger: Ledger,
  account: DatasetAccount,
  userIds: readonly string[],
  isSaid: boolean,
  context: Pick<CommandContext, 'say'>,
): Promise<void> {
  const { sharedLimit } = await import('@hushrec/ledger');
  const { accounts, share, shareWithGrant } = await ledger.sharedWith(userIds, account.id);
  const alone = accounts.filter(
    (each) => Math.max(each.share, each.accountShare, each.shareInParts) > sharedLimit,
  );
  // People may be spread over accounts each of which has but few of them.
  const isSpread =
    (share > sharedLimit && alone.length === 0) ||
    (shareWithGrant > sharedLimit && !alone.some(({ hasGrant }) => hasGrant));
  const shared = isSpread ? accounts : alone;
  if (shared.length === 0) return;
  const found =
    shared
      .map(
        (each) =>
          `about ${percent(each.share)} are in account ${called(each)} too${whole(each, sharedLimit)}`,
      )
      .join(', ') + (isSpread ? `, together ${percent(share)}` : '');
  const own = (await ledger.accounts()).get(account.id);
  const isAtStake =
    alone.some(({ hasGrant }) => hasGrant) ||
    shareWithGrant > sharedLimit ||
    (own !== undefined && (own.grant !== null || own.refused));
  if (isSaid || !isAtStake) {
    context.say(`Of these people, by their ids, ${found}: each account has a budget of its own.`);
    return;
  }
  const first = shared[0];
  const { SharedPeopleError } = await import('@hushrec/ledger');
  throw new SharedPeopleError(
    `Of these people, by their ids, ${found}, and there is a budget (${ledger.location}). Say which account they belong to: ` +
      `--account ${typed(first.name ?? first.account)} if they are the same people, so that one budget covers both; ` +
      `--account ${typed(own?.name ?? 'NAME')} for ${own === undefined ? 'a new one' : 'this data set’s own'} if only the ids look alike.`,
    first,
  );
}

function called({ account: id, name }: SharedPeople): string {
  return name === null ? id : `${name} (${id})`;
}

/** What of another account's people these are, where that is more than what they are of the import. */
function whole({ share, accountShare, shareInParts }: SharedPeople, limit: number): string {
  if (share > limit) return '';
  if (accountShare > limit) return ` (${percent(accountShare)} of its people)`;
  return shareInParts > limit
    ? ` (${percent(accountShare)} of its people; with earlier imports ${percent(shareInParts)} of them are in other accounts)`
    : '';
}

function percent(share: number): string {
  return share < 0.01 ? 'less than 1 %' : `${Math.round(100 * share)} %`;
}

/** As it is typed in a shell. */
function typed(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`;
}
