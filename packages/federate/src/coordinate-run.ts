import { type AggregatorPort, MOST_IN_BATCH, MOST_IN_JUDGEMENT } from './aggregator-port.js';
import type { Board } from './board.js';
import { type Charter, charterHash, mostExchanges } from './charter.js';
import { type ExchangePlan, type Schedule, wordCount } from './exchange-plan.js';
import { RefusedError, RunOverError } from './federation-errors.js';
import { pause } from './pause.js';
import { entryHash, firstHead, headerOf, readEntry } from './release-log.js';
import { Screen } from './screen.js';
import { addUpWords } from './sharing/sharing.js';
import { packWords } from './sharing/sharing-words.js';

export interface CoordinatorOptions {
  readonly signal?: AbortSignal;
  /** Called when an exchange is in the log. */
  readonly progress?: (done: number, total: number) => void;
  /** Told why an exchange that should have ended cannot be published yet. */
  readonly waiting?: (reason: string) => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** In simulations: how many are coming to an exchange, in place of the charter's number. */
  readonly expected?: (exchange: number) => number;
  /**
   * Least milliseconds between looks at what has come in. Looks become rarer the longer an exchange lasts
   * (`SLOWNESS`).
   */
  readonly pollMilliseconds?: number;
}

/**
 * Between two looks lies this part of the time that has been waited so far, so that an exchange lasts at most
 * by this part longer than it must, and a long one costs few looks.
 */
const SLOWNESS = 1 / 20;
/** Milliseconds. */
const POLL = 250;
const LONGEST_PAUSE = 10_000;

/**
 * Takes a run from where its board stands to its end. Asks aggregator 0 what has come in, agrees on batches
 * with the others, has every aggregator publish, and puts the signed entry on the board. It keeps nothing but
 * the board: a killed coordinator asks the aggregators how far they are and goes on. It is trusted with
 * nothing; what it asks for wrongly is refused.
 *
 * @throws RunOverError when the run cannot go on: it is marked as over on the board.
 */
export async function coordinateRun(
  charter: Charter,
  aggregators: readonly AggregatorPort[],
  board: Board,
  schedule: Schedule,
  options: CoordinatorOptions = {},
): Promise<void> {
  const hash = await charterHash(charter);
  let previous = firstHead(hash);
  const total = mostExchanges(charter);
  for (let exchange = 0; ; exchange++) {
    const planned = await schedule.at(exchange);
    if (planned === undefined) return;
    const there = await board.peek(exchange);
    if (there !== undefined) {
      previous = (await readEntry(charter, hash, exchange, previous, there, planned)).hash;
      options.progress?.(exchange + 1, total);
      continue;
    }
    if (board.end !== undefined) throw new RunOverError(board.end.exchange, board.end.over);
    try {
      previous = await runExchange(charter, hash, exchange, planned, previous, aggregators, board, options);
    } catch (error) {
      const over = fatal(error);
      if (over === undefined) throw error;
      await board.close({ over, exchange });
      throw new RunOverError(exchange, over);
    }
    options.progress?.(exchange + 1, total);
  }
}

/** Why a run cannot go on; undefined for what may pass (somebody does not answer). */
function fatal(error: unknown): string | undefined {
  if (error instanceof RefusedError && [400, 403, 409].includes(error.status)) return error.message;
  return error instanceof Error && error.name === 'LogError' ? error.message : undefined;
}

async function runExchange(
  charter: Charter,
  hash: string,
  exchange: number,
  planned: ExchangePlan,
  previous: string,
  aggregators: readonly AggregatorPort[],
  board: Board,
  options: CoordinatorOptions,
): Promise<string> {
  const { set, shares } = await published(charter, exchange, planned, aggregators, options);
  const sums = packWords(addUpWords(shares, wordCount(planned.lines), charter.wordBytes), charter.wordBytes);
  const header = await headerOf({ charter: hash, exchange, previous, set }, shares, sums);
  const signatures = await Promise.all(aggregators.map((aggregator) => aggregator.attest(header, shares)));
  // What the entry says must be readable by everyone before anyone is shown it.
  await readEntry(charter, hash, exchange, previous, { header, signatures, sums }, planned);
  await board.add({ header, signatures }, sums, shares);
  return entryHash(header);
}

/**
 * The set all agree on, and what each aggregator publishes for it. By an aggregator's clock the window may
 * still be open: then more may come, and it is asked again.
 */
async function published(
  charter: Charter,
  exchange: number,
  planned: ExchangePlan,
  aggregators: readonly AggregatorPort[],
  options: CoordinatorOptions,
): Promise<{ readonly set: string; readonly shares: readonly Uint8Array<ArrayBuffer>[] }> {
  const { signal, waiting, pollMilliseconds = POLL } = options;
  for (let next = pollMilliseconds; ; next = Math.min(LONGEST_PAUSE, 2 * next)) {
    const set = await agreeOnSet(charter, exchange, planned, aggregators, options);
    const answers = await Promise.allSettled(
      aggregators.map((aggregator) => aggregator.publish(exchange, set)),
    );
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    // First of all: where one has its window open still, what another lacks may come.
    const early = failures.find((error) => error instanceof RefusedError && error.status === 425);
    if (early === undefined && failures.length > 0) throw failures[0];
    if (early === undefined)
      return { set, shares: answers.flatMap((answer) => ('value' in answer ? [answer.value] : [])) };
    waiting?.(`an aggregator’s clock is behind this one: ${(early as RefusedError).message}`);
    await pause(next, signal);
  }
}

/**
 * Waits for the exchange to end, folding full batches as they come; returns the hash of the set all
 * aggregators agree on.
 */
async function agreeOnSet(
  charter: Charter,
  exchange: number,
  planned: ExchangePlan,
  aggregators: readonly AggregatorPort[],
  { signal, clock = Date.now, pollMilliseconds = POLL, expected }: CoordinatorOptions,
): Promise<string> {
  const [first, ...others] = aggregators as [AggregatorPort, ...AggregatorPort[]];
  const { pace } = charter;
  const closes =
    pace.kind === 'windows'
      ? Date.parse(pace.windows[exchange]?.closes ?? '')
      : clock() + 1000 * pace.longestSeconds;
  const there = await catchUp(exchange, aggregators);
  if ('set' in there) return there.set;
  let { folded: arrived } = there;
  const dropped = new Set<string>();
  const screen =
    charter.screening === undefined ? undefined : new Screen(charter, exchange, planned, aggregators);
  let waited = 0;
  let looks = 1;
  for (;;) {
    signal?.throwIfAborted();
    const isLate = !(clock() < closes);
    const held = await unseen(exchange, first, dropped, isLate || isPowerOfTwo(looks++));
    const closed =
      isLate || (pace.kind === 'reports' && arrived + held.length >= (expected?.(exchange) ?? pace.count));
    if (held.length >= MOST_IN_BATCH || (closed && held.length > 0)) {
      const lacking = new Set(
        (await Promise.all(others.map((other) => other.lacking(exchange, held)))).flat(),
      );
      for (const id of lacking) dropped.add(id);
      const shared = held.filter((id) => !lacking.has(id)).sort();
      const impossible = new Set(await screen?.impossible(shared));
      for (const id of await unproved(charter, exchange, shared, aggregators)) impossible.add(id);
      for (const id of impossible) dropped.add(id);
      const ids = shared.filter((id) => !impossible.has(id));
      if (ids.length > 0) {
        const { batches } = await first.state(exchange);
        for (const aggregator of aggregators) await aggregator.fold(exchange, batches, ids);
      }
      // Whoever is left out has come, too.
      arrived += shared.length;
      continue;
    }
    if (closed) break;
    const next = Math.max(pollMilliseconds, Math.min(SLOWNESS * waited, LONGEST_PAUSE, closes - clock()));
    await pause(next, signal);
    waited += next;
  }
  return (await first.state(exchange)).set;
}

/**
 * Those of these reports whose norm proofs an aggregator does not accept. Aggregator 0 speaks first, and
 * aggregator 1 only of what it accepts; what is said of a report is the same whenever it is asked for.
 */
async function unproved(
  { normProofs }: Charter,
  exchange: number,
  ids: readonly string[],
  [first, second]: readonly AggregatorPort[],
): Promise<string[]> {
  if (!normProofs) return [];
  const proved = new Set<string>();
  for (let from = 0; from < ids.length; from += MOST_IN_JUDGEMENT) {
    const group = ids.slice(from, from + MOST_IN_JUDGEMENT);
    const half = await second.judge(exchange, group, await first.vouch(exchange, group));
    if (half.length === 0) continue;
    for (const id of await first.judge(exchange, half, await second.vouch(exchange, half))) proved.add(id);
  }
  return ids.filter((id) => !proved.has(id));
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}

/**
 * At most a batch of reports that were not looked at yet. Those that somebody lacks stay where they are, in
 * front of all others, so that as many are passed over. An aggregator that was started again may have them in
 * another order: in the end, and now and then before, all are gone through once more.
 */
async function unseen(
  exchange: number,
  first: AggregatorPort,
  dropped: ReadonlySet<string>,
  isThorough: boolean,
): Promise<readonly string[]> {
  const isNew = (id: string) => !dropped.has(id);
  const next = (await first.held(exchange, MOST_IN_BATCH, dropped.size)).filter(isNew);
  if (next.length > 0 || !isThorough) return next;
  for (let from = 0; from < dropped.size; from += MOST_IN_BATCH) {
    const missed = (await first.held(exchange, MOST_IN_BATCH, from)).filter(isNew);
    if (missed.length > 0) return missed;
  }
  return [];
}

/**
 * Where a killed coordinator left the aggregators. A set that somebody has promised was agreed on by all.
 * Otherwise whoever has one batch more than another tells which. `folded` is how many reports are in, for the
 * pace alone (batches before the last count as full).
 */
async function catchUp(
  exchange: number,
  aggregators: readonly AggregatorPort[],
): Promise<{ readonly folded: number } | { readonly set: string }> {
  const states = await Promise.all(aggregators.map((aggregator) => aggregator.state(exchange)));
  const closed = states.find((state) => state.closed);
  if (closed !== undefined) return { set: closed.set };
  const most = states.reduce((best, state) => (state.batches > best.batches ? state : best));
  for (const [at, state] of states.entries())
    if (state.batches === most.batches - 1) await aggregators[at].fold(exchange, most.batches - 1, most.last);
    else if (state.set !== most.set)
      throw new RefusedError(409, 'The aggregators have added up different sets; nobody may publish.');
  return { folded: most.last.length + MOST_IN_BATCH * Math.max(0, most.batches - 1) };
}
