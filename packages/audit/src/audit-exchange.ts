import {
  Aggregator,
  type AggregatorOptions,
  addUpWords,
  draftCharter,
  expandSeed,
  fineGrid,
  headerOf,
  lineOf,
  MemoryFolder,
  packWords,
  plannedNoise,
  type SignedCharter,
  signCard,
  unpackWords,
} from '@hushrec/federate';
import { generateSigningKey, type SigningKey, toHex } from '@hushrec/model/signing';
import type { Engine } from '@hushrec/numerics';
import { composedMu, gaussianEpsilon, hostSha256 } from '@hushrec/privacy';

/** Faults that are planted to show that the audit has power. */
export const exchangeFaults = [
  'no noise',
  'a third of the variance',
  'a report counted twice',
  'published twice',
  'noise shared by two aggregators',
  'the number of reports in the log',
] as const;
export type ExchangeFault = (typeof exchangeFaults)[number];

export interface ExchangeAudit {
  /** What one exchange's first line may cost, and the δ of both figures. */
  readonly claimed: number;
  readonly delta: number;
  /** From the attack; Infinity where nothing was hidden. */
  readonly lowerBound: number;
  readonly runs: number;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  readonly ok: boolean;
}

/**
 * Standard errors that a statistic must pass: one-sided 3·10⁻⁵ for the attack, two-sided 2·10⁻⁹ for the laws.
 */
const ATTACK_ERRORS = 4;
const LAW_ERRORS = 6;

/**
 * An audit of one exchange against an adversary who is the coordinator and every aggregator but one, chose
 * all other reports, and knows every byte but the honest aggregator's secret. The person's report is as long
 * as the sensitivity allows, along the first coordinate. Published word minus everything the adversary knows
 * is Gaussian around 0 or that length: the lower bound on μ is what the means of both cases differ by in
 * standard deviations, minus four standard errors. The other coordinates, where she adds nothing, must have
 * the law of the planned noise.
 */
export async function auditExchange(
  engine: Engine,
  {
    runs,
    fault,
    signal,
  }: { readonly runs: number; readonly fault?: ExchangeFault; readonly signal?: AbortSignal },
): Promise<ExchangeAudit> {
  const stage = await smallRun(engine);
  const { signed } = stage;
  const shape = signed.charter.exchanges[0][0];
  const line = lineOf(signed.charter.plan, shape);
  const { step, effective } = fineGrid(line, shape.gridStep);
  const length = Math.floor(line.sensitivity / step);
  const seen: [number[], number[]] = [[], []];
  const residuals: number[] = [];
  let product = 0;
  for (let run = 0; run < runs; run++)
    for (const [at, isThere] of [true, false].entries()) {
      signal?.throwIfAborted();
      const words = await published(stage, isThere ? length : 0, run, fault);
      seen[at].push(words[0]);
      residuals.push(...words.subarray(1, shape.length));
      // The other aggregator's words of the same exchange: what both share would be known to the adversary.
      const others = await published(stage, 0, run, fault, 1);
      for (let k = 1; k < shape.length; k++) product += (words[k] / effective) * (others[k] / effective);
    }
  const { delta } = signed.charter.plan;
  const mu = composedMu(line.event);
  const found = lowerBoundOnMu(seen[0], seen[1]);
  const claimed = gaussianEpsilon(mu, delta);
  const lowerBound = found === Infinity ? Infinity : gaussianEpsilon(Math.max(0, found), delta);
  const count = residuals.length;
  const variance = residuals.reduce((sum, value) => sum + value * value, 0) / effective ** 2;
  const zOfVariance = (variance - count) / Math.sqrt(2 * count);
  const zOfProduct = product / Math.sqrt(count);
  const checks = [
    {
      name: 'the attack finds no more than is claimed',
      ok: found <= mu,
      detail: `μ ≥ ${found.toFixed(3)} of ${mu.toFixed(3)} claimed`,
    },
    {
      name: 'the noise has the planned variance',
      ok: Math.abs(zOfVariance) < LAW_ERRORS,
      detail: `${(variance / count).toFixed(3)} of it, ${zOfVariance.toFixed(1)} standard errors off`,
    },
    {
      name: 'aggregators share no noise',
      ok: Math.abs(zOfProduct) < LAW_ERRORS,
      detail: `correlation ${(product / count).toFixed(3)}, ${zOfProduct.toFixed(1)} standard errors`,
    },
    await numberCheck(stage, fault),
  ];
  return { claimed, delta, lowerBound, runs, checks, ok: checks.every(({ ok }) => ok) };
}

/**
 * Whether an entry of the log is the same for two reports as for three, but for hashes and signatures, of
 * which nobody can tell what they are of.
 */
async function numberCheck(
  stage: Stage,
  fault: ExchangeFault | undefined,
): Promise<ExchangeAudit['checks'][0]> {
  const texts: string[] = [];
  for (const reports of [2, 3])
    texts.push(JSON.stringify(await entryOf(stage, reports, fault)).replace(/[0-9a-f]{64,}/g, '…'));
  const isSilent = texts[0] === texts[1];
  return {
    name: 'the log does not tell how many reports there were',
    ok: isSilent,
    detail: isSilent ? 'entries of two and of three differ in hashes alone' : texts.join(' and '),
  };
}

/** The first entry of the log after so many reports, as everybody may read it. */
async function entryOf({ signed, keys }: Stage, reports: number, fault: ExchangeFault | undefined) {
  const { charter, hash } = signed;
  const digest = async (bytes: Uint8Array) => toHex(await hostSha256(bytes));
  const ids = await Promise.all(
    Array.from({ length: reports }, (_, at) => digest(new TextEncoder().encode(`report ${at}`))),
  );
  const words = charter.exchanges[0].reduce((sum, { length }) => sum + length, 0) * charter.wordBytes;
  const aggregators = await Promise.all(
    charter.aggregators.map((_, index) =>
      Aggregator.open(charter, new MemoryFolder(), {
        index,
        key: keys[index],
        secret: crypto.getRandomValues(new Uint8Array(32)),
      }),
    ),
  );
  const shares: Uint8Array[] = [];
  let set = '';
  for (const [index, aggregator] of aggregators.entries()) {
    for (const id of ids) await aggregator.put(0, id, hash, new Uint8Array(index === 0 ? words : 32));
    ({ set } = await aggregator.fold(0, 0, [...ids].sort()));
    shares.push(await aggregator.publish(0, set));
  }
  const { wordBytes } = charter;
  const sums = packWords(addUpWords(shares, words / wordBytes, wordBytes), wordBytes);
  const header = await headerOf({ charter: hash, exchange: 0, previous: hash, set }, shares, sums);
  const signatures = await Promise.all(aggregators.map((aggregator) => aggregator.attest(header, shares)));
  return {
    header: fault === 'the number of reports in the log' ? { ...header, reports } : header,
    signatures,
  };
}

interface Stage {
  readonly signed: SignedCharter;
  readonly keys: readonly SigningKey[];
}

async function smallRun(engine: Engine): Promise<Stage> {
  const keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const signed = await draftCharter(
    {
      method: 'dpals',
      settings: { rounds: 1, rank: 2 },
      epsilon: 100,
      delta: 1e-5,
      catalogue: { itemCount: 4, scale: { min: 1, max: 5, step: 1 }, hash: '' },
      coordinator: await signCard({ name: 'board', url: '' }, keys[2]),
      aggregators: await Promise.all(
        keys.slice(0, 2).map((key, at) => signCard({ name: String(at), url: '' }, key)),
      ),
      noise: { by: 'aggregators', honestNeeded: 1 },
      mostPeople: 10,
      leastReports: 1,
      pace: { kind: 'reports', count: 2, longestSeconds: 10 },
      admission: { kind: 'open' },
      codeVersion: 'audit',
      acceptWeak: true,
    },
    { engine },
  );
  return { signed, keys };
}

/**
 * What one aggregator publishes when the person's report has this length, without what the adversary knows;
 * in fine steps.
 */
async function published(
  { signed, keys }: Stage,
  length: number,
  run: number,
  fault: ExchangeFault | undefined,
  index = 0,
): Promise<Float64Array> {
  const { charter, hash } = signed;
  const lines = charter.exchanges[0];
  const words = lines.reduce((sum, each) => sum + each.length, 0);
  const secret =
    fault === 'noise shared by two aggregators'
      ? await hostSha256(new TextEncoder().encode(`shared ${run}`))
      : crypto.getRandomValues(new Uint8Array(32));
  const noise = await plantedNoise(signed, fault, secret);
  const open = async (own: Uint8Array) => {
    const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
      index,
      key: keys[index],
      secret: own,
      ...(noise && { noise }),
    });
    const report = new Float64Array(words);
    report[0] = length;
    const names = ['person', 'invented', ...(fault === 'a report counted twice' ? ['person again'] : [])];
    const ids = new Map<string, string>();
    for (const name of names) ids.set(name, toHex(await hostSha256(new TextEncoder().encode(name))));
    // Aggregator 0 holds reports as they are: the adversary knows the seeds of the other shares. The other
    // one's shares are all known.
    for (const [name, id] of ids) {
      const values = name === 'invented' ? new Float64Array(words) : report;
      await aggregator.put(
        0,
        id,
        hash,
        index === 0 ? packWords(values, charter.wordBytes) : new Uint8Array(32),
      );
    }
    const { set } = await aggregator.fold(0, 0, [...ids.values()].sort());
    return unpackWords(await aggregator.publish(0, set), charter.wordBytes);
  };
  const first = await open(secret);
  if (index === 1) return minusKnown(first, signed, fault === 'a report counted twice' ? 3 : 2);
  if (fault !== 'published twice') return first;
  const second = await open(crypto.getRandomValues(new Uint8Array(32)));
  return first.map((value, at) => (value + second[at]) / 2);
}

/** The other aggregator's words without the expansions of so many seeds of zeros, which everybody knows. */
async function minusKnown(
  words: Float64Array,
  { charter }: SignedCharter,
  seeds: number,
): Promise<Float64Array> {
  const { wordBytes } = charter;
  const mask = unpackWords(await expandSeed(new Uint8Array(32), words.length, wordBytes), wordBytes);
  const modulus = 2 ** (8 * wordBytes);
  return words.map((value, at) => {
    const rest = (value - seeds * mask[at]) % modulus;
    return rest >= modulus / 2 ? rest - modulus : rest < -modulus / 2 ? rest + modulus : rest;
  });
}

async function plantedNoise(
  { charter }: SignedCharter,
  fault: ExchangeFault | undefined,
  secret: Uint8Array,
): Promise<AggregatorOptions['noise'] | undefined> {
  if (fault === 'no noise') return () => undefined;
  if (fault !== 'a third of the variance' && fault !== 'noise shared by two aggregators') return undefined;
  const parts = fault === 'a third of the variance' ? 3 : 1;
  const draws = new Map<string, Float64Array>();
  for (const shape of charter.exchanges[0])
    draws.set(shape.name, await plannedNoise(charter.plan, shape, parts, secret));
  return (_, { name }) => draws.get(name);
}

function lowerBoundOnMu(withHer: readonly number[], without: readonly number[]): number {
  const [one, other] = [withHer, without].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
    return { mean, variance };
  });
  const deviation = Math.sqrt((one.variance + other.variance) / 2);
  if (deviation === 0) return Infinity;
  const mu = (one.mean - other.mean) / deviation;
  // Standard error of a standardised difference of means.
  return mu - ATTACK_ERRORS * Math.sqrt(2 / withHer.length + mu ** 2 / (4 * withHer.length));
}
