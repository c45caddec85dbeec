// A role of federated runs in a process of its own that talks TLS to the others, one run after another:
//   node tls-role.test.data.js aggregator|participants
// It is told what to do by messages; `tls-equality.test.ts` starts it.
import type { ItemModel } from '@hushrec/model';
import { importSigningKey } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { RunSecret } from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import { type Credentials, partyCredentials } from '../admission.js';
import { Aggregator } from '../aggregator.js';
import type { AggregatorPort } from '../aggregator-port.js';
import type { Charter, SignedCharter } from '../charter.js';
import { MemoryFolder } from '../durable-folder.js';
import { coinsOf, keyOf } from '../equality.test.data.js';
import { aggregatorRoutes } from '../http/aggregator-routes.js';
import { patient, remoteAggregator, remoteLog } from '../http/remote.js';
import type { Fetcher, WireHandler } from '../http/wire.js';
import { scheduleOf } from '../schedule.js';
import { sealingOf } from '../small-charter.test.data.js';
import { takePart } from '../take-part.js';
import type { SelfSigned } from './self-signed-certificate.js';
import { tlsClient } from './tls-client.js';
import { serve } from './tls-server.js';

/** The first message: certificates, which stay the same for all runs. */
export interface RoleOnLine {
  readonly own: SelfSigned;
  /** Of all roles. */
  readonly certificates: readonly string[];
}

/** One run, to an aggregator. Answered with `ready`. */
export interface AggregatorRun {
  readonly charter: Charter;
  readonly features: readonly FeatureSource[];
  readonly index: number;
  /** PEM. */
  readonly key: string;
  /** By line, in fine grid steps; lines that are not there get none. */
  readonly noise: ReadonlyMap<string, Float64Array>;
}

/** One run, to a process of participants. Answered with a `TookPartHere` each. */
export interface ParticipantsRun {
  readonly signed: SignedCharter;
  readonly features: readonly FeatureSource[];
  /** Everybody's, for the number of people and their coins. */
  readonly ratings: RatingMatrix;
  readonly seed: number;
  readonly participants: number;
  readonly kept: 'one-person' | 'many-people';
  /** Those in this process: their place among all, name, ratings and key (PEM). */
  readonly here: readonly {
    readonly at: number;
    readonly name: string;
    readonly own: RatingMatrix;
    readonly key: string;
  }[];
  /** One bit of the first report that leaves this process is another. */
  readonly flipsOneBit: boolean;
}

export interface TookPartHere {
  readonly model: ItemModel;
  readonly handedIn: number;
  readonly zerosBecause?: string;
}

const received = <T>() =>
  new Promise<T>((resolve) => process.once('message', (message) => resolve(message as T)));
const answer = (message: unknown) => process.send!(message);

const engine = await createEngine({ kernel: 'simd', threads: 1 });
const { own, certificates } = await received<RoleOnLine>();
const line: Fetcher = patient(tlsClient({ believed: certificates, own }), 'a role', {
  attempts: 20,
  firstPause: 10,
});
const logOf = ({ coordinator, run }: Charter) => remoteLog(coordinator.url, run, line);

async function addUp(): Promise<void> {
  let handler: WireHandler = async () => ({ status: 503, body: '' });
  const tls = { ...own, clients: certificates };
  const server = await serve((request) => handler(request), { port: 0, tls, mostBytes: 2 ** 20 });
  answer(server.port);
  for (;;) {
    const { charter, features, index, key, noise } = await received<AggregatorRun>();
    const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
      index,
      key: await importSigningKey(key),
      secret: crypto.getRandomValues(new Uint8Array(32)),
      noise: (_, { name, occurrence, part }) => noise.get(keyOf(name, occurrence, part)),
      schedule: scheduleOf(charter, logOf(charter), { engine, features }),
    });
    handler = aggregatorRoutes(charter, aggregator, {
      index,
      sealing: await sealingOf(charter.aggregators[index]),
    });
    answer('ready');
  }
}

/** Passes reports on, the first one with one bit changed (and signed so) where that is asked for. */
function passing(
  port: Pick<AggregatorPort, 'put'>,
  credentials: Credentials,
  flip: { left: number },
): Pick<AggregatorPort, 'put'> {
  return {
    put: async (exchange, report, head, body, proof) => {
      if (flip.left === 0) return port.put(exchange, report, head, body, proof);
      flip.left--;
      const other = body.slice();
      other[0] ^= 1;
      return port.put(exchange, report, head, other, await credentials(exchange, report, 0, other));
    },
  };
}

async function participate(): Promise<void> {
  answer('ready');
  for (;;) {
    const run = await received<ParticipantsRun>();
    const { signed, features, ratings, seed, participants, kept } = run;
    const { charter, hash } = signed;
    const coins = coinsOf({ secret: new RunSecret({ seed }) }, ratings, participants);
    const flip = { left: run.flipsOneBit ? 1 : 0 };
    const took = await Promise.all(
      run.here.map(async ({ at, name, own, key }): Promise<TookPartHere> => {
        const signing = await importSigningKey(key);
        const ports = charter.aggregators.map((_, index) => remoteAggregator(signed, index, line));
        const credentials = partyCredentials(name, signing, hash);
        const { result, handedIn, zerosBecause } = await takePart(
          signed,
          own,
          { engine, features },
          {
            trusted: charter.aggregators.map(({ publicKey }) => publicKey),
            mostEpsilon: charter.plan.epsilon,
            kept,
          },
          {
            aggregators: [passing(ports[0], credentials, flip), ...ports.slice(1)],
            log: logOf(charter),
            credentials,
          },
          { folder: new MemoryFolder(), checked: true, coins: coins(at) },
        );
        return { model: result.model, handedIn, ...(zerosBecause !== undefined && { zerosBecause }) };
      }),
    );
    answer(took);
  }
}

process.once('disconnect', () => process.exit(0));
await (process.argv[2] === 'aggregator' ? addUp() : participate());
