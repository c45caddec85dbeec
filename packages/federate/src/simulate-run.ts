import { generateSigningKey, type SigningKey } from '@hushrec/model';
import type { PeopleCoins } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { partyCredentials } from './admission.js';
import { Aggregator } from './aggregator.js';
import type { NoiseSource } from './aggregator-noise.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { type SignedCharter, signCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import { type CharterRequest, draftCharter } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import type { FederatedResult, PublicKnowledge } from './participant.js';
import { replayRun, scheduleOf } from './schedule.js';
import { simulatedSecret } from './simulated-secrets.js';
import { type TookPart, takePart } from './take-part.js';

/** A run with all roles in one process. What is not given is chosen for a simulation. */
export interface SimulationRequest
  extends Omit<
    CharterRequest,
    'catalogue' | 'coordinator' | 'aggregators' | 'pace' | 'admission' | 'mostPeople' | 'leastReports'
  > {
  /** Ratings of each participant. */
  readonly shares: readonly RatingMatrix[];
  /** Where a model folder is to be written: of the catalogue that goes with it. */
  readonly catalogueHash?: string;
  readonly aggregatorCount: number;
  readonly kept: 'one-person' | 'many-people';
  readonly mostPeople?: number;
  readonly leastReports?: number;
  /** Who is there at an exchange; everyone when absent. */
  readonly present?: (participant: number, exchange: number) => boolean;
  /** Other noise than the planned one: nothing is protected. */
  readonly noiseSource?: (aggregator: number) => NoiseSource;
  /**
   * Noise and masks of all roles follow from it: the same seed gives the same sums and the same model, bit
   * for bit. Secret and new each time when absent.
   */
  readonly seed?: number;
  /** Coins of a participant's people, in place of secret ones. */
  readonly coins?: (participant: number) => PeopleCoins;
  readonly progress?: (done: number, total: number) => void;
  /** Stands between participants and an aggregator. */
  readonly wrap?: (port: AggregatorPort, aggregator: number) => AggregatorPort;
}

export interface SimulatedRun {
  readonly signed: SignedCharter;
  readonly board: Board;
  /** The model as everybody recomputes it from the log. */
  readonly replayed: FederatedResult;
  readonly participants: readonly TookPart[];
}

interface Keys {
  readonly parties: readonly SigningKey[];
  /** Of the aggregators. */
  readonly keys: readonly SigningKey[];
  readonly coordinatorKey: SigningKey;
}

/** All roles of a federated run in this process: the protocol with its checks, without a network. */
export async function simulateRun(
  request: SimulationRequest,
  knowledge: PublicKnowledge,
): Promise<SimulatedRun> {
  const { shares, aggregatorCount, kept, present = () => true, wrap = (port) => port } = request;
  const parties = await Promise.all(shares.map(() => generateSigningKey()));
  const keys = await Promise.all(Array.from({ length: aggregatorCount }, () => generateSigningKey()));
  const coordinatorKey = await generateSigningKey();
  const named = kept === 'many-people';
  const signed = await signedCharter(request, knowledge, { parties, keys, coordinatorKey });
  const { charter, hash } = signed;
  const secretOf = (role: string): Uint8Array =>
    request.seed === undefined
      ? crypto.getRandomValues(new Uint8Array(32))
      : simulatedSecret(request.seed, role);
  const board = await Board.open(new MemoryFolder());
  const aggregators = await Promise.all(
    keys.map((key, index) =>
      Aggregator.open(charter, new MemoryFolder(), {
        index,
        key,
        secret: secretOf(`aggregator ${index}`),
        repeatable: request.seed !== undefined,
        schedule: scheduleOf(charter, board, knowledge),
        ...(request.noiseSource && { noise: request.noiseSource(index) }),
      }),
    ),
  );
  const ports = aggregators.map((aggregator, at) => wrap(aggregator, at));
  // Whoever is absent at an exchange leaves it to the others; the board does not wait for them.
  const arrivals = (exchange: number) => shares.filter((_, at) => present(at, exchange)).length;
  const trusted = (charter.noise.by === 'parties' ? parties : keys).map(({ publicKey }) => publicKey);
  const participants = shares.map((ratings, at) =>
    takePart(
      signed,
      ratings,
      knowledge,
      { trusted, mostEpsilon: charter.plan.epsilon, kept },
      {
        aggregators: ports.map((port) => ({
          put: async (exchange, ...rest) =>
            present(at, exchange)
              ? port.put(exchange, ...rest)
              : { status: 410, reason: 'This participant is absent.' },
        })),
        log: board,
        ...(named && {
          credentials: (exchange, report) =>
            partyCredentials(`party ${at + 1}`, parties[at], hash, exchange, report),
        }),
      },
      {
        folder: new MemoryFolder(),
        checked: true,
        ...(request.coins && { coins: request.coins(at) }),
        ...(request.seed !== undefined && { root: secretOf(`participant ${at}`) }),
      },
    ),
  );
  const run = coordinateRun(charter, ports, board, scheduleOf(charter, board, knowledge), {
    expected: arrivals,
    pollMilliseconds: 1,
    ...(request.progress && { progress: request.progress }),
  });
  const [, ...took] = await Promise.all([run, ...participants]);
  const replayed = await replayRun(charter, board, knowledge);
  return { signed, board, replayed, participants: took };
}

/** Named parties where each keeps many people; else everyone may take part. Signed by all aggregators. */
async function signedCharter(
  request: SimulationRequest,
  knowledge: PublicKnowledge,
  { parties, keys, coordinatorKey }: Keys,
): Promise<SignedCharter> {
  const { itemCount, scale } = request.shares[0];
  const people = request.shares.reduce((sum, { userCount }) => sum + userCount, 0);
  const drafted = await draftCharter(
    {
      ...request,
      catalogue: { itemCount, scale, hash: request.catalogueHash ?? '' },
      simulation: true,
      coordinator: { name: 'coordinator', url: '', publicKey: coordinatorKey.publicKey },
      aggregators: keys.map(({ publicKey }, at) => ({ name: `aggregator ${at}`, url: '', publicKey })),
      mostPeople: request.mostPeople ?? Math.max(1, people),
      leastReports: request.leastReports ?? 1,
      pace: { kind: 'reports', count: request.shares.length, longestSeconds: 3600 },
      admission:
        request.kept === 'many-people'
          ? {
              kind: 'parties',
              parties: parties.map(({ publicKey }, at) => ({ name: `party ${at + 1}`, publicKey })),
            }
          : { kind: 'open' },
    },
    knowledge,
  );
  return keys.reduce<Promise<SignedCharter>>(
    async (before, key) => signCharter(await before, key),
    Promise.resolve(drafted),
  );
}
