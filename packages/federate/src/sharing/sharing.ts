import { type CalibratedPlan, hmacSha256, hostSha256, type ReleaseRecorder } from '@hushrec/privacy';
import { type ExactLine, type ExchangingOptions, ExchangingRecorder, type SumRequest } from './exchanging.js';
import { LineProofs } from './line-proofs.js';
import { type LineShape, lineKey } from './sharing-line.js';
import { plannedNoise } from './sharing-noise.js';
import { maskWords, packWords, type WordBytes, WordSums } from './sharing-words.js';

/** What one participant hands in at one exchange: shares that only together tell what it is about. */
export interface SharedReport {
  /** For aggregator 0: the words minus what the seeds expand to; or its shares with their proofs. */
  readonly words: Uint8Array<ArrayBuffer>;
  /** For aggregators 1, 2, …: 32 bytes each; or seeds of shares with their proofs. */
  readonly seeds: readonly Uint8Array[];
}

/** Where sums about people are added up, seen by one who hands in. Lines of one exchange come together. */
export interface SumExchange {
  /**
   * Hands in, and gives what was released: whole numbers of fine grid steps, all lines one after another.
   * `report` makes the shares of the report that has this name when it is called, and always the same ones;
   * who only reads what others released does not call it.
   */
  settle(request: SumRequest, report: (id: string) => Promise<SharedReport>): Promise<Float64Array>;
}

export interface SharingOptions extends ExchangingOptions {
  /**
   * The lines of each exchange, in order: known to all in advance. In later stages of a plan, which nobody
   * knows in advance, every line is an exchange of its own.
   */
  readonly exchanges: readonly (readonly LineShape[])[];
  readonly wordBytes: WordBytes;
  readonly aggregators: number;
  /**
   * 32 secret bytes of this participant and this run; shares and its own noise follow from them and from what
   * is handed in.
   */
  readonly root: Uint8Array;
  /** This participant adds one share of the noise itself (parties); otherwise the aggregators do. */
  readonly addsNoise: boolean;
}

/**
 * The recorder of one who takes part in federated training. Every statistic is turned into shares and handed
 * in; what `add` gives back is the sum over all participants with its noise, as it was published. Exact
 * numbers leave `Sensitive` here, and only as shares (or never, where the exchange does not ask for them).
 */
export function createSharingRecorder(
  plan: CalibratedPlan,
  exchange: SumExchange,
  options: SharingOptions,
): ReleaseRecorder {
  if (options.root.length !== 32) throw new RangeError('The root of shares has 32 bytes.');
  const { exchanges } = options;
  return new ExchangingRecorder(plan, options, {
    linesOf: (at) => exchanges[at] ?? (plan.later === undefined ? [] : 'one'),
    settle: (request, lines) => exchange.settle(request, (id) => shareOf(request, lines, options, id)),
    staged: () => undefined,
  });
}

/** What a dry run finds: the exchanges before any later stage. */
export interface DiscoveredExchanges {
  readonly exchanges: readonly (readonly LineShape[])[];
  /** Exchanges of later stages with answers of zero: how many there are depends on what is released. */
  readonly later: readonly (readonly LineShape[])[];
}

/**
 * All lines of a run in the order and company in which a method asks for them, without any data: every sum is
 * zero.
 */
export async function discoverExchanges(
  plan: CalibratedPlan,
  train: (recorder: ReleaseRecorder) => Promise<unknown>,
  noiseOnSum = 1,
): Promise<DiscoveredExchanges> {
  const exchanges: LineShape[][] = [];
  let first: number | undefined;
  const recorder = new ExchangingRecorder(
    plan,
    { noiseOnSum, honestNeeded: 1, onePerson: false },
    {
      linesOf: () => (first === undefined ? 'all' : 'one'),
      settle: async ({ lines }) => {
        exchanges.push([...lines]);
        return new Float64Array(lines.reduce((sum, { length }) => sum + length, 0));
      },
      staged: () => {
        first ??= exchanges.length;
      },
    },
  );
  await train(recorder);
  recorder.finish();
  const end = first ?? exchanges.length;
  return { exchanges: exchanges.slice(0, end), later: exchanges.slice(end) };
}

/**
 * A participant's shares. Equal numbers always give equal bytes; other numbers never meet the same mask or
 * the same noise.
 */
async function shareOf(
  { exchange, plan }: SumRequest,
  lines: readonly ExactLine[],
  { wordBytes, aggregators, root, addsNoise, honestNeeded, normProofs }: SharingOptions,
  id: string,
): Promise<SharedReport> {
  const values = joined(lines);
  if (addsNoise) {
    const content = await digest(new Uint8Array(values.slice().buffer));
    let at = 0;
    for (const { shape } of lines) {
      const key = labelled(root, 'noise', exchange, lineKey(shape), content);
      const noise = await plannedNoise(plan, shape, honestNeeded, key);
      for (let k = 0; k < noise.length; k++) values[at + k] += noise[k];
      at += noise.length;
    }
  }
  const words = packWords(values, wordBytes);
  const content = await digest(words);
  if (normProofs) {
    const proofs = new LineProofs({ lines: lines.map(({ shape }) => shape), plan });
    const secret = labelled(root, 'proof', exchange, id, content);
    const [first, second] = await proofs.split(
      lines.map((line) => line.values),
      id,
      secret,
    );
    return { words: first, seeds: [second] };
  }
  const seeds = Array.from({ length: aggregators - 1 }, (_, other) =>
    labelled(root, 'seed', exchange, other + 1, content),
  );
  return { words: await maskWords(words, wordBytes, seeds), seeds };
}

/** All numbers of an exchange, one line after another. */
function joined(lines: readonly ExactLine[]): Float64Array {
  const values = new Float64Array(lines.reduce((sum, { shape }) => sum + shape.length, 0));
  let at = 0;
  for (const line of lines) {
    values.set(line.values, at);
    at += line.values.length;
  }
  return values;
}

/** By the host: reports are large, and its hash is many times faster than one in script. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await hostSha256(bytes);
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function labelled(root: Uint8Array, ...identity: readonly (string | number)[]): Uint8Array {
  return hmacSha256(root, JSON.stringify(['hushrec-shares-1', ...identity]));
}

/** Sums of published words of all aggregators, as whole numbers of fine grid steps. */
export function addUpWords(words: readonly Uint8Array[], count: number, size: WordBytes): Float64Array {
  const sums = new WordSums(count, size);
  for (const share of words) sums.add(share);
  return sums.values();
}
