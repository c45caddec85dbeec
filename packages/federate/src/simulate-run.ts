import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import type { PeopleCoins } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { partyCredentials } from './admission.js';
import { Aggregator } from './aggregator.js';
import type { NoiseSource } from './aggregator-noise.js';
import type { AggregatorPort } from './aggregator-port.js';
import { Board } from './board.js';
import { signCard } from './card.js';
import { type Charter, type SignedCharter, signCharter } from './charter.js';
import { coordinateRun } from './coordinate-run.js';
import { type CharterRequest, draftCharter } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import type { Schedule } from './exchange-plan.js';
import type { FederatedResult, PublicKnowledge } from './participant.js';
import { replayRun, scheduleOf } from './schedule.js';
import { newSealingKey } from './sealed-share.js';
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
  const { shares, aggregatorCount, present = () => true } = request;
  const keys: Keys = {
    parties: await Promise.all(shares.map(() => generateSigningKey())),
    keys: await Promise.all(Array.from({ length: aggregatorCount }, () => generateSigningKey())),
    coordinatorKey: await generateSigningKey(),
  };
  const signed = await signedCharter(request, knowledge, keys);
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const schedule = () => scheduleOf(charter, board, knowledge);
  const ports = await openAggregators(request, charter, keys, schedule);
  const participants = startParticipants(request, knowledge, signed, keys, ports, board);
  const run = coordinateRun(charter, ports, board, schedule(), {
    // Whoever is absent at an exchange leaves it to the others; the board does not wait for them.
    expected: (exchange) => shares.filter((_, at) => present(at, exchange)).length,
    pollMilliseconds: 1,
    ...(request.progress && { progress: request.progress }),
  });
  const [, ...took] = await Promise.all([run, ...participants]);
  const replayed = await replayRun(charter, board, knowledge);
  return { signed, board, replayed, participants: took };
}

/** Of the seed where there is one; secret and new each time where there is none. */
function secretOf({ seed }: SimulationRequest, role: string): Uint8Array {
  return seed === undefined ? crypto.getRandomValues(new Uint8Array(32)) : simulatedSecret(seed, role);
}

function openAggregators(
  request: SimulationRequest,
  charter: Charter,
  { keys }: Keys,
  schedule: () => Schedule,
): Promise<AggregatorPort[]> {
  const { noiseSource, seed, wrap = (port) => port } = request;
  const verifyKey = secretOf(request, 'verify key');
  return Promise.all(
    keys.map(async (key, index) => {
      const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
        index,
        key,
        secret: secretOf(request, `aggregator ${index}`),
        repeatable: seed !== undefined,
        verifyKey,
        schedule: schedule(),
        ...(noiseSource && { noise: noiseSource(index) }),
      });
      return wrap(aggregator, index);
    }),
  );
}

function startParticipants(
  request: SimulationRequest,
  knowledge: PublicKnowledge,
  signed: SignedCharter,
  { parties, keys }: Keys,
  ports: readonly AggregatorPort[],
  board: Board,
): Promise<TookPart>[] {
  const { shares, kept, present = () => true, seed, coins } = request;
  const { charter, hash } = signed;
  const trusted = [...parties, ...keys].map(({ publicKey }) => publicKey);
  const policy = { trusted, mostEpsilon: charter.plan.epsilon, kept };
  return shares.map((ratings, at) => {
    const aggregators = ports.map((port) => ({
      put: async (exchange: number, ...rest: Rest<Parameters<AggregatorPort['put']>>) =>
        present(at, exchange)
          ? port.put(exchange, ...rest)
          : ({ status: 410, reason: 'This participant is absent.' } as const),
    }));
    const credentials = partyCredentials(`party ${at + 1}`, parties[at], hash);
    return takePart(
      signed,
      ratings,
      knowledge,
      policy,
      { aggregators, log: board, ...(kept === 'many-people' && { credentials }) },
      {
        folder: new MemoryFolder(),
        checked: true,
        ...(coins && { coins: coins(at) }),
        ...(seed !== undefined && { root: secretOf(request, `participant ${at}`) }),
      },
    );
  });
}

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

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
      coordinator: await signCard({ name: 'coordinator', url: '' }, coordinatorKey),
      aggregators: await Promise.all(
        keys.map((key, at) => signCard({ name: `aggregator ${at}`, url: '' }, key)),
      ),
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
    // Nothing goes over a line here, so that nothing is sealed and nobody has the other half.
    async (before, key) => signCharter(await before, key, (await newSealingKey()).publicKey),
    Promise.resolve(drafted),
  );
}
