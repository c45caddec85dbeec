import { type Charter, charterHash, noiseOnSum } from './charter.js';
import type { ExchangePlan, Schedule } from './exchange-plan.js';
import { LogError, RunOverError } from './federation-errors.js';
import { type FederatedResult, noRatings, type PublicKnowledge, trainAsChartered } from './participant.js';
import { firstHead, type LogReader, readEntry } from './release-log.js';
import { LOOKS } from './screening.js';
import { createSharingRecorder } from './sharing/sharing.js';

/** The schedule of a plan with one stage: all of it stands in the charter. */
export function charteredSchedule(charter: Charter): Schedule {
  return {
    at: async (exchange) => {
      const lines = charter.exchanges[exchange];
      return lines && { lines, plan: charter.plan };
    },
  };
}

/**
 * Follows a run by its log alone: the method on nobody's ratings, every request answered by what was
 * published. So the coordinator, an aggregator or an auditor knows which lines come next, of later stages
 * too, and believes nobody; and in the end it has the model. Checks every signature on the way.
 */
export class Follower implements Schedule {
  readonly #asked: ExchangePlan[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;
  /** The model and the record, when the log is complete. */
  readonly result: Promise<FederatedResult>;

  constructor(
    charter: Charter,
    log: LogReader,
    knowledge: PublicKnowledge,
    options: { readonly signal?: AbortSignal } = {},
  ) {
    this.result = this.#follow(charter, log, knowledge, options).finally(() => {
      this.#ended = true;
      this.#wake();
    });
    // Who only asks for lines need not ask for the model.
    this.result.catch(() => undefined);
  }

  async #follow(
    charter: Charter,
    log: LogReader,
    knowledge: PublicKnowledge,
    { signal }: { readonly signal?: AbortSignal },
  ): Promise<FederatedResult> {
    const hash = await charterHash(charter);
    let previous = firstHead(hash);
    const recorder = createSharingRecorder(
      charter.plan,
      {
        settle: async ({ exchange, lines, plan }) => {
          this.#asked[exchange] = { lines, plan };
          this.#wake();
          const entry = await log.entry(exchange, signal);
          if ('over' in entry) throw new RunOverError(entry.exchange, entry.over);
          const read = await readEntry(charter, hash, exchange, previous, entry, { lines, plan });
          previous = read.hash;
          return read.values;
        },
      },
      {
        exchanges: charter.exchanges,
        wordBytes: charter.wordBytes,
        aggregators: charter.aggregators.length,
        root: new Uint8Array(32),
        honestNeeded: charter.noise.honestNeeded,
        ...(charter.screening !== undefined && { looks: LOOKS }),
        ...(charter.normProofs && { normProofs: true }),
        noiseOnSum: noiseOnSum(charter),
        addsNoise: false,
        onePerson: false,
        simulation: charter.simulation === true,
      },
    );
    const ratings = noRatings(charter);
    const trained = await trainAsChartered(charter, knowledge, ratings, recorder, {
      ...(signal && { signal }),
    });
    return {
      model: trained.model,
      record: recorder.finish(),
      ...(trained.facts && { facts: trained.facts }),
    };
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async at(exchange: number): Promise<ExchangePlan | undefined> {
    while (this.#asked[exchange] === undefined) {
      if (this.#ended) {
        await this.result;
        return undefined;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#asked[exchange];
  }
}

/**
 * A follower where later lines depend on the log, the charter itself where they do not. It follows from when
 * it is first asked: a role that cannot start does not go on waiting for the board.
 */
export function scheduleOf(
  charter: Charter,
  log: LogReader,
  knowledge: PublicKnowledge,
  signal?: AbortSignal,
): Schedule {
  if (charter.plan.later === undefined) return charteredSchedule(charter);
  let follower: Follower | undefined;
  return {
    at: (exchange) => {
      follower ??= new Follower(charter, log, knowledge, signal ? { signal } : {});
      return follower.at(exchange);
    },
  };
}

/**
 * The model that a charter and its complete log give. What the coordinator publishes, and what anybody can
 * recompute.
 */
export async function replayRun(
  charter: Charter,
  log: LogReader,
  knowledge: PublicKnowledge,
  options: { readonly signal?: AbortSignal } = {},
): Promise<FederatedResult> {
  const follower = new Follower(charter, log, knowledge, options);
  const result = await follower.result;
  const extra = await log.peek(await lengthOf(follower));
  if (extra !== undefined)
    throw new LogError(extra.header.exchange, 'the log goes on after the run has ended.');
  return result;
}

async function lengthOf(follower: Follower): Promise<number> {
  let length = 0;
  while ((await follower.at(length)) !== undefined) length++;
  return length;
}
