import { type PeopleCoins, peopleCoins, RunSecret } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { concatBytes, hashHex, utf8 } from './bytes.js';
import { type Charter, charterHash, noiseOnSum, readCharter, type SignedCharter } from './charter.js';
import {
  type ContributorPolicy,
  checkDeltaAndBytes,
  checkEpsilon,
  checkRatings,
} from './contributor-policy.js';
import { chargeRun, openRecord } from './contributor-record.js';
import { LogError, RefusedError, RunOverError, UnreachableError } from './federation-errors.js';
import {
  checkCharterByDryRun,
  type FederatedResult,
  noRatings,
  type PublicKnowledge,
  trainAsChartered,
} from './participant.js';
import { LOOKS } from './screening.js';
import { createSharingRecorder, type SharingOptions } from './sharing/sharing.js';
import { openTokens } from './tokens.js';
import { type Meeting, type TakePartOptions, Visits } from './visits.js';

export interface TookPart {
  /** The model, the same for everyone. */
  readonly result: FederatedResult;
  /** Exchanges at which this participant handed in, or had before. */
  readonly handedIn: number;
  /** Exchanges that were over when it came. */
  readonly missed: number;
  readonly bytesSent: number;
  /** Why zeros were handed in from some exchange on. For the owner; nobody else is told. */
  readonly zerosBecause?: string;
}

/**
 * Takes part in a run, from wherever this participant's durable record and the log stand. Checks the charter,
 * charges the owner, then runs the method on the owner's ratings: every sum it asks for is handed in as
 * shares, and answered by the log.
 *
 * It always hands in something: whether a participant's own numbers can be handed in may depend on its
 * ratings, and presence must not. So after a failure of its own it hands in zeros to the end.
 *
 * @throws CharterError, ContributorBudgetError before anything is handed in; LogError, RunOverError,
 * UnreachableError later.
 */
export async function takePart(
  signed: SignedCharter,
  ratings: RatingMatrix,
  knowledge: PublicKnowledge,
  policy: ContributorPolicy,
  meeting: Meeting,
  options: TakePartOptions,
): Promise<TookPart> {
  const charter = await readCharter(signed, policy.trusted);
  checkRatings(charter, ratings, policy);
  // The folder's own account looks at ε itself: of all runs together, and not again where this one is paid.
  if (options.charge) checkEpsilon(charter, policy.mostEpsilon);
  checkDeltaAndBytes(charter, policy);
  if (!options.checked) await checkCharterByDryRun(charter, knowledge);
  const { folder } = options;
  const hash = await charterHash(charter);
  // Before anything is charged: whoever gets no tokens cannot take part.
  const admittedBy: Meeting =
    charter.admission.kind === 'issuer'
      ? { ...meeting, credentials: await openTokens(signed, folder, meeting.issuer) }
      : meeting;
  // Charged before the record, and the record before the first report: spent is never less than released.
  await chargeOwner(charter, hash, policy, options);
  const record = await openRecord(folder, hash, await ratingsHash(ratings), options.root);
  const sharing = sharingOf(charter, record.root, policy);
  const visits = new Visits(charter, hash, record.root, admittedBy, options);
  const attend = async (own: RatingMatrix, coins: PeopleCoins): Promise<FederatedResult> => {
    const recorder = createSharingRecorder(charter.plan, visits, sharing);
    const trained = await trainAsChartered(charter, knowledge, own, recorder, {
      coins,
      ...(options.signal && { signal: options.signal }),
    });
    return {
      model: trained.model,
      record: recorder.finish(),
      ...(trained.facts && { facts: trained.facts }),
    };
  };
  const coins = options.coins ?? peopleCoins(new RunSecret({ key: record.root }));
  try {
    return { result: await attend(ratings, coins), ...visits.tally };
  } catch (error) {
    if (!isOwnFailure(error, options.signal)) throw error;
    // Somebody without ratings hands in zeros, and asks for the same lines as everybody else.
    visits.restart();
    const result = await attend(noRatings(charter), coins);
    return { result, ...visits.tally, zerosBecause: error instanceof Error ? error.message : String(error) };
  }
}

/** To the account it belongs to, else to the record of this folder. */
async function chargeOwner(
  charter: Charter,
  hash: string,
  { mostEpsilon }: ContributorPolicy,
  { charge, clock = Date.now, folder }: TakePartOptions,
): Promise<void> {
  if (charge) return charge(charter, hash);
  const { epsilon, delta } = charter.plan;
  const at = new Date(clock()).toISOString();
  await chargeRun(folder, { charter: hash, epsilon, delta, at }, mostEpsilon);
}

/** How sums are handed in under a charter. */
function sharingOf(charter: Charter, root: Uint8Array, { kept }: ContributorPolicy): SharingOptions {
  return {
    exchanges: charter.exchanges,
    wordBytes: charter.wordBytes,
    aggregators: charter.aggregators.length,
    root,
    honestNeeded: charter.noise.honestNeeded,
    ...(charter.screening !== undefined && { looks: LOOKS }),
    ...(charter.normProofs && { normProofs: true }),
    noiseOnSum: noiseOnSum(charter),
    addsNoise: charter.noise.by === 'parties',
    onePerson: kept === 'one-person',
  };
}

/**
 * Failures that lie with others, or with the line to them, end taking part; all others are this participant's
 * own.
 */
function isOwnFailure(error: unknown, signal: AbortSignal | undefined): boolean {
  return !(
    signal?.aborted ||
    error instanceof LogError ||
    error instanceof RunOverError ||
    error instanceof UnreachableError ||
    error instanceof RefusedError
  );
}

/** Binds a record to the ratings it was begun with. */
async function ratingsHash({ byUser, about }: RatingMatrix): Promise<string> {
  const bytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice();
  return hashHex(
    concatBytes([
      utf8(`${byUser.rowCount} ${byUser.columnCount} `),
      bytes(byUser.offsets),
      bytes(byUser.indices),
      bytes(byUser.values),
      ...(about
        ? [utf8(JSON.stringify(about.names)), bytes(about.byUser.offsets), bytes(about.byUser.indices)]
        : []),
    ]),
  );
}
