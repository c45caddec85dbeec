import type { ServerContext } from '../server-context.js';

/**
 * Whether the ratings behind an account are public, so that nobody needs protection: an operator said so
 * (`--public-data`), or all data of the account was made up by `hushrec generate`. Looks at the data sets
 * once.
 */
export async function publicAccounts({
  publicData,
  datasets,
}: Pick<ServerContext, 'publicData' | 'datasets'>): Promise<(account: string) => boolean> {
  if (publicData) return () => true;
  const manifests = ((await datasets?.list()) ?? []).map(({ manifest }) => manifest);
  return (account) => {
    const own = manifests.filter((each) => each.account.id === account);
    return own.length > 0 && own.every(({ provenance }) => provenance['recipe'] !== undefined);
  };
}
