import { readSettings } from '@hushrec/factorize';
import type { SharedSide } from '@hushrec/federate';
import { uniformRows } from '../methods/dpimf.js';
import { type DpimfSettings, dpimfSchema } from '../methods/dpimf-settings.js';
import { averageProfiles } from './average-profiles.js';
import {
  type CoordinatorMessage,
  type PartyGuarantee,
  type PartyMessage,
  ProtocolError,
} from './messages.js';
import { solveSummed } from './sum-contributions.js';
import type { PartyConnection } from './transport.js';

export interface SessionOffer {
  readonly session: string;
  readonly shared: SharedSide;
  /** Number of shared items or users. */
  readonly rows: number;
  readonly rounds: number;
  readonly localRounds?: number;
  readonly epsilon: number;
  readonly settings?: Readonly<Record<string, number | string | boolean>>;
  /** `sums` are added and solved once; `profiles` are averaged, as in the paper. */
  readonly contribution: 'sums' | 'profiles';
  /** Fewer parties than this end the session. */
  readonly leastParties?: number;
}

export interface SessionResult {
  readonly profiles: Float64Array;
  readonly guarantees: ReadonlyMap<string, PartyGuarantee>;
  /** Parties that refused or failed, with the reason, in the order in which they dropped out. */
  readonly lost: readonly { readonly party: string; readonly round: number; readonly reason: string }[];
}

/** Too few parties are left to go on. */
export class TooFewPartiesError extends Error {
  override readonly name = 'TooFewPartiesError';
  readonly kind = 'privacy';
  readonly left: number;
  constructor(left: number, least: number, reasons: string) {
    super(
      `${left} parties are left and ${least} are needed. Lost: ${reasons || 'none'}. Invite more, or lower leastParties.`,
    );
    this.left = left;
  }
}

/**
 * The coordinating role of federated implicit factorization (Ran et al. 2024, Algorithm 1): holds the shared
 * profiles, asks every party for its contribution in each round, combines them. It never sees an interaction,
 * and what it does see is noised by the parties themselves. A party that fails or breaks the protocol is left
 * out from then on.
 */
export async function coordinate(
  offer: SessionOffer,
  connections: readonly PartyConnection[],
  random: () => number,
  progress?: (round: number, rounds: number) => void,
): Promise<SessionResult> {
  const { session, shared, rows, rounds, localRounds = 1, epsilon, contribution, leastParties = 1 } = offer;
  const settings: DpimfSettings = readSettings(dpimfSchema, {
    ...offer.settings,
    side: shared,
    rounds: rounds * localRounds,
  });
  const roll = new Roll(connections, leastParties);
  const guarantees = new Map<string, PartyGuarantee>();
  const invitation = {
    kind: 'invitation',
    session,
    shared,
    rows,
    rounds,
    localRounds,
    epsilon,
    settings: offer.settings ?? {},
    contribution,
  } as const;
  for (const { party, guarantee } of await roll.askAll(invitation, 0, expectKind(session, 'accepted')))
    guarantees.set(party, guarantee);

  let profiles = uniformRows(rows, settings.rank, random);
  for (let round = 0; round < rounds; round++) {
    const request = { kind: 'round', session, round, profiles } as const;
    profiles =
      contribution === 'sums' && settings.repaired
        ? solveSummed(await summed(roll, request, rows, settings), settings)
        : averageProfiles(await solvedApart(roll, request, rows * settings.rank));
    progress?.(round + 1, rounds);
  }
  await roll.askAll({ kind: 'finish', session, profiles }, rounds, expectKind(session, 'finished'));
  return { profiles, guarantees, lost: roll.lost };
}

type RoundRequest = Extract<CoordinatorMessage, { kind: 'round' }>;

/** Sums of every party for one round, as they were noised there. */
function summed(roll: Roll, request: RoundRequest, rows: number, settings: DpimfSettings) {
  return roll.askAll(request, request.round, (answer) =>
    wellFormedSums(expectKind(request.session, 'sums')(answer), rows, settings),
  );
}

/** Profiles that every party solved for by itself. */
function solvedApart(roll: Roll, request: RoundRequest, length: number): Promise<Float64Array[]> {
  return roll.askAll(request, request.round, (answer) => {
    const { party, profiles } = expectKind(request.session, 'profiles')(answer);
    checkLength(party, profiles, length);
    return profiles;
  });
}

/** The parties that are still there. */
class Roll {
  readonly lost: { party: string; round: number; reason: string }[] = [];
  readonly #least: number;
  #active: readonly PartyConnection[];

  constructor(connections: readonly PartyConnection[], least: number) {
    this.#active = connections;
    this.#least = least;
  }

  /**
   * Asks everyone at once; those who fail are dropped, and the order of answers is that of the parties.
   *
   * @throws TooFewPartiesError
   */
  async askAll<M>(
    message: CoordinatorMessage,
    round: number,
    accept: (answer: PartyMessage) => M,
  ): Promise<M[]> {
    const answers = await Promise.allSettled(
      this.#active.map(async (connection) => accept(await connection.request(message))),
    );
    const good: M[] = [];
    const still: PartyConnection[] = [];
    answers.forEach((answer, at) => {
      const connection = this.#active[at];
      if (answer.status === 'fulfilled') {
        good.push(answer.value);
        still.push(connection);
      } else {
        this.lost.push({ party: connection.party, round, reason: reasonOf(answer.reason) });
      }
    });
    this.#active = still;
    if (good.length < this.#least)
      throw new TooFewPartiesError(
        good.length,
        this.#least,
        this.lost.map(({ party, reason }) => `${party} (${reason})`).join(', '),
      );
    return good;
  }
}

function expectKind<K extends PartyMessage['kind']>(session: string, kind: K) {
  return (answer: PartyMessage): Extract<PartyMessage, { kind: K }> => {
    if (answer.kind === 'refused')
      throw new ProtocolError(answer.party, `${kind}, it refused: ${answer.reason}`);
    if (answer.kind !== kind || answer.session !== session)
      throw new ProtocolError(answer.party, `${kind} for this session`);
    return answer as Extract<PartyMessage, { kind: K }>;
  };
}

function wellFormedSums(
  message: Extract<PartyMessage, { kind: 'sums' }>,
  rows: number,
  { rank, variant }: DpimfSettings,
) {
  const packed = variant === 'symmetric' ? (rank * (rank + 1)) / 2 : rank ** 2;
  const quadratic = variant === 'optimal' ? 0 : rows * packed;
  checkLength(message.party, message.linear, rows * rank);
  checkLength(message.party, message.quadratic, quadratic);
  checkLength(message.party, message.counts, variant === 'optimal' ? 0 : rows);
  checkLength(message.party, message.gramian, rank ** 2);
  if (!(Number.isInteger(message.columns) && message.columns >= 0))
    throw new ProtocolError(message.party, 'a number of columns');
  return message;
}

function checkLength(party: string, values: Float64Array, length: number): void {
  if (!(values instanceof Float64Array) || values.length !== length || !values.every(Number.isFinite))
    throw new ProtocolError(party, `${length} finite numbers`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no answer';
}
