import { dpimf, foldInOf } from '@hushrec/factorize';
import type { Party } from '@hushrec/federate';
import type { ModelManifest, PublishedModel } from '@hushrec/model';
import { certify } from './publish/certify.js';
import { writeModelFolder } from './publish/write-folder.js';

/** A session that has not ended, or was not charged to an account, was to be published. */
export class UnpaidSessionError extends Error {
  override readonly name = 'UnpaidSessionError';
  readonly kind = 'privacy';
}

/**
 * Publishes what a party has after a session of parties that noise their own sums: the shared profiles, and
 * its own ones as far as they were fitted on noised sums. It takes the party itself, whose record, profiles
 * and ledger entry nobody else can make; raw fits stay inside it. The certificate is this party's: it is
 * about the interactions that lie with it.
 *
 * @throws UnpaidSessionError
 */
export async function publishParty(
  party: Party,
  about: {
    readonly items: Pick<ModelManifest, 'itemIds' | 'titles' | 'links' | 'images'>;
    /** Of the shared users; empty where items are shared. */
    readonly userIds: readonly string[];
    readonly account: string;
    readonly codeVersion: string;
  },
  options: { readonly out: string; readonly overwrite: boolean },
): Promise<PublishedModel> {
  const { outcome } = party;
  if (outcome === undefined)
    throw new UnpaidSessionError(
      'The session is not at its end, or it was not charged to an account of a ledger: there is nothing to publish.',
    );
  const { record, shared, profiles, releasedOwn, settings, entry } = outcome;
  const { items, userIds, account, codeVersion } = about;
  const model = {
    kind: 'factors',
    feedback: 'implicit',
    rank: settings.rank,
    itemFactors: Float32Array.from(shared === 'item' ? profiles : releasedOwn),
    offset: 0,
    foldIn: foldInOf(settings, items.itemIds.length),
    ...(shared === 'user' && { users: { ids: userIds, factors: Float32Array.from(profiles) } }),
  } as const;
  const certificate = certify(record, {
    method: dpimf.id,
    account,
    catalogue: 'declared',
    ledgerEntry: entry,
    codeVersion,
    tuning: `Settings of the session, which was written before any data was touched. ${party.party} noised its own sums: this is about the interactions that lie with it; those of other parties are protected by their own noise.`,
  });
  const manifest = {
    format: 'hushrec-model-2',
    method: dpimf.id,
    settings,
    ...items,
    versions: { hushrec: codeVersion },
  } as const;
  return writeModelFolder(options.out, { manifest, model, certificate }, { overwrite: options.overwrite });
}
