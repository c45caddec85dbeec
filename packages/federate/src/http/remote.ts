import type { SigningKey } from '@hushrec/model/signing';
import type { AggregatorPort, FoldState, PutAnswer } from '../aggregator-port.js';
import { concatBytes, fromHex } from '../bytes.js';
import { type Card, cardFault, isSignedCard, type Office } from '../card.js';
import { type Charter, type SignedCharter, sealingKeys } from '../charter.js';
import {
  CertificateRefusedError,
  CharterError,
  LogError,
  RefusedError,
  UnreachableError,
} from '../federation-errors.js';
import { pause } from '../pause.js';
import type { AuditedLog, LogEntry, LogReader, ReleasedEntry, RunEnd } from '../release-log.js';
import { sealShare } from '../sealed-share.js';
import { type NamedSignature, signAs } from '../signatures.js';
import type { TokenIssuer } from '../tokens.js';
import { joinAttest, joinIds, requestContent, splitIds } from './aggregator-routes.js';
import { type Fetcher, text } from './wire.js';

/** How long to go on asking somebody who does not answer. */
export interface Patience {
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled before each further one, up to the longest. */
  readonly firstPause: number;
  /** Milliseconds; a minute when absent. */
  readonly longestPause?: number;
  /** Told once that somebody does not answer and is asked again. */
  readonly waiting?: (message: string) => void;
}

/** Failures in a row before the owner is told: who has just been started may need a moment. */
const FAILURES_BEFORE_WORD = 3;
/** Milliseconds; or one failure that took so long: a machine that takes connections and says nothing. */
const SILENCE_BEFORE_WORD = 10_000;

export const usualPatience: Patience = { attempts: 8, firstPause: 250 };
const LONGEST_PAUSE = 60_000;

/** How many attempts with the usual pauses between them last so many milliseconds at least. */
export function attemptsWithin(milliseconds: number): number {
  let attempts = 1;
  for (let waited = 0; waited < milliseconds; attempts++)
    waited += Math.min(LONGEST_PAUSE, usualPatience.firstPause * 2 ** (attempts - 1));
  return attempts;
}

/** Said by servers that are too busy to read: asked again, it may go. */
const TOO_SLOW = 408;

/** Codes of TLS for certificates that are not believed: expired, of another host, of somebody else. */
const certificateFault = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER))/;

/**
 * Asks again when there was no answer, or one that says "not now" (5xx, 408). Every request of the protocol
 * may be repeated.
 */
export function patient(fetcher: Fetcher, who: string, patience: Patience): Fetcher {
  const { attempts, firstPause, longestPause = LONGEST_PAUSE, waiting } = patience;
  return async (url, request) => {
    let last: unknown;
    let isTold = false;
    const began = performance.now();
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await pause(Math.min(longestPause, firstPause * 2 ** (attempt - 1)), request.signal);
      request.signal?.throwIfAborted();
      try {
        const answer = await fetcher(url, request);
        if (answer.status < 500 && answer.status !== TOO_SLOW) return answer;
        last = new Error(`it answered ${answer.status}`);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (certificateFault.test(String((error as { code?: unknown } | null)?.code)))
          throw new CertificateRefusedError(who, error);
        last = error;
      }
      const isDue = attempt + 1 >= FAILURES_BEFORE_WORD || performance.now() - began > SILENCE_BEFORE_WORD;
      if (isDue && !isTold && attempt + 1 < attempts) {
        isTold = true;
        waiting?.(`${who} does not answer (${(last as Error).message}); it is asked again.`);
      }
    }
    throw new UnreachableError(who, last);
  };
}

/** A JSON object, or undefined where it is something else: whoever sent it is not believed. */
function jsonObject(body: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(text(body));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(body: Uint8Array): string {
  try {
    return String((JSON.parse(text(body)) as { reason?: unknown }).reason);
  } catch {
    return 'no reason was given.';
  }
}

/**
 * Asks aggregators at their own addresses whether the charter says of them what they say of themselves: who
 * believes an address need not compare keys.
 *
 * @throws CharterError where one says something else, or nothing
 */
export async function checkCardsAtHome(
  { aggregators }: Charter,
  keys: readonly string[],
  fetcher: (card: Card) => Fetcher,
): Promise<void> {
  for (const card of aggregators.filter(({ publicKey }) => keys.includes(publicKey))) {
    const { status, body } = await fetcher(card)(`${card.url.replace(/\/+$/, '')}/v1/card`, {
      method: 'GET',
    });
    const own = status === 200 ? (jsonObject(body) as Card | undefined) : undefined;
    const fault =
      own === undefined || !(await isSignedCard(own))
        ? `${card.name} shows no card of its own at ${card.url}.`
        : cardFault(card, own);
    if (fault !== undefined)
      throw new CharterError(fault, 'Do not take part; ask whoever invited you. Nothing was charged.');
  }
}

/** The issuer of a charter at the other end of a line, for whoever holds an invitation. */
export function remoteIssuer(
  { run }: Charter,
  { url }: Office,
  fetcher: Fetcher,
  invitation: string,
): TokenIssuer {
  return {
    sign: async (blinded) => {
      const answer = await fetcher(`${url.replace(/\/+$/, '')}/v1/${run}/tokens`, {
        method: 'POST',
        headers: { 'hushrec-invitation': invitation },
        body: blinded,
      });
      if (answer.status !== 200)
        throw new RefusedError(answer.status, `${reasonOf(answer.body)} Nothing was charged.`);
      return answer.body;
    },
  };
}

/**
 * An aggregator of a signed charter at the other end of a line. Shares leave sealed to the key that it signed
 * with the charter: whatever carries them reads nothing. Without the coordinator's key only `put` can be
 * asked.
 */
export function remoteAggregator(
  signed: SignedCharter,
  share: number,
  fetcher: Fetcher,
  options: { readonly key?: SigningKey; readonly signal?: AbortSignal } = {},
): AggregatorPort {
  const { signal } = options;
  const { charter, hash } = signed;
  const { run } = charter;
  const recipient = sealingKeys(signed)[share];
  const root = charter.aggregators[share].url.replace(/\/+$/, '');
  const ask = (method: string, path: string, body?: Uint8Array) =>
    askAggregator(fetcher, root, { method, path: `${run}/${path}`, ...(body && { body }) }, options);
  return {
    put: async (exchange, report, head, body, admission) => {
      const sealed = await sealShare(body, { charter: hash, exchange, report, head, share, recipient });
      const answer = await fetcher(`${root}/v1/${run}/${exchange}/reports/${report}`, {
        method: 'PUT',
        headers: { 'hushrec-log': head, ...(admission && { 'hushrec-admission': admission }) },
        body: sealed,
        ...(signal && { signal }),
      });
      return {
        status: answer.status as PutAnswer['status'],
        reason: reasonOf(answer.body),
        sent: sealed.length,
      };
    },
    held: async (exchange, most, from) =>
      splitIds(await ask('GET', `${exchange}/held?most=${most}&from=${from}`)),
    look: async (exchange, ids) => ask('POST', `${exchange}/look`, joinIds(ids)),
    looks: async (exchange) =>
      JSON.parse(text(await ask('GET', `${exchange}/looks`))) as readonly (readonly string[])[],
    lacking: async (exchange, ids) => splitIds(await ask('POST', `${exchange}/lacking`, joinIds(ids))),
    state: async (exchange) => JSON.parse(text(await ask('GET', `${exchange}/state`))) as FoldState,
    fold: async (exchange, batch, ids) =>
      JSON.parse(text(await ask('POST', `${exchange}/fold/${batch}`, joinIds(ids)))) as FoldState,
    vouch: (exchange, ids) => ask('POST', `${exchange}/vouch`, joinIds(ids)),
    judge: async (exchange, ids, told) =>
      splitIds(
        await ask(
          'POST',
          `${exchange}/judge?reports=${ids.length}`,
          concatBytes([...ids.map(fromHex), told]),
        ),
      ),
    publish: (exchange, set) => ask('POST', `${exchange}/publish/${set}`),
    attest: async (header, shares) =>
      JSON.parse(
        text(await ask('POST', `${header.exchange}/attest`, joinAttest(header, shares))),
      ) as NamedSignature,
  };
}

/** What an aggregator answers, signed where the coordinator asks. @throws RefusedError */
async function askAggregator(
  fetcher: Fetcher,
  root: string,
  request: { readonly method: string; readonly path: string; readonly body?: Uint8Array },
  { key, signal }: { readonly key?: SigningKey; readonly signal?: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  const { method, path, body = new Uint8Array() } = request;
  const full = new URL(`${root}/v1/${path}`);
  const headers: Record<string, string> = {};
  if (key !== undefined) {
    const content = await requestContent(method, `${full.pathname}${full.search}`, body);
    headers['hushrec-signature'] = (await signAs('request', content, key)).value;
  }
  const answer = await fetcher(full.href, {
    method,
    headers,
    ...(method === 'GET' ? {} : { body }),
    ...(signal && { signal }),
  });
  if (answer.status === 200) return answer.body;
  const where = answer.status === 404 ? `${root}: ` : '';
  throw new RefusedError(answer.status, `${where}${reasonOf(answer.body)}`);
}

/** Milliseconds. */
const LEAST_BETWEEN_LOOKS = 1000;

/** A board at the other end of a line. */
export function remoteLog(base: string, run: string, fetcher: Fetcher): LogReader & AuditedLog {
  const root = `${base.replace(/\/+$/, '')}/v1/${run}/log`;
  const get = async (path: string, signal?: AbortSignal) => {
    const answer = await fetcher(`${root}/${path}`, { method: 'GET', ...(signal && { signal }) });
    if (answer.status !== 200 && answer.status !== 204)
      throw new RefusedError(answer.status, `${base}: ${reasonOf(answer.body)}`);
    return answer;
  };
  const look = async (
    exchange: number,
    wait: number,
    signal?: AbortSignal,
  ): Promise<ReleasedEntry | RunEnd | undefined> => {
    const { status, body } = await get(`${exchange}${wait > 0 ? `?wait=${wait}` : ''}`, signal);
    if (status === 204) return undefined;
    const entry = jsonObject(body) as LogEntry | RunEnd | undefined;
    if (entry === undefined) throw new LogError(exchange, 'what the board shows is no entry.');
    if ('over' in entry) return entry;
    return { ...entry, sums: (await get(`${exchange}/sums`, signal)).body };
  };
  return {
    entry: async (exchange, signal) => {
      for (;;) {
        signal?.throwIfAborted();
        const asked = performance.now();
        const entry = await look(exchange, 20, signal);
        if (entry !== undefined) return entry;
        // A board, or what stands before it, that does not keep the question waiting is not asked all the
        // time.
        await pause(Math.max(0, LEAST_BETWEEN_LOOKS - (performance.now() - asked)), signal);
      }
    },
    peek: async (exchange) => {
      const entry = await look(exchange, 0);
      return entry === undefined || 'over' in entry ? undefined : entry;
    },
    share: async (exchange, aggregator) => (await get(`${exchange}/shares/${aggregator}`)).body,
  };
}

/** What a board shows before a run begins: of this run, or of the first where it is not named. */
export async function remoteCharter(
  base: string,
  fetcher: Fetcher,
  run?: string,
): Promise<{ readonly signed: SignedCharter; readonly catalogue: unknown }> {
  const root = base.replace(/\/+$/, '');
  const get = async (path: string) => {
    const { status, body } = await fetcher(`${root}/${path}`, { method: 'GET' });
    if (status !== 200) throw new RefusedError(status, reasonOf(body));
    return jsonObject(body);
  };
  const signed = (await get(run === undefined ? 'v1/charter' : `v1/${run}/charter`)) as
    | SignedCharter
    | undefined;
  if (typeof signed?.charter?.run !== 'string') throw new CharterError('what the board shows is no charter.');
  return { signed, catalogue: await get(`v1/${signed.charter.run}/catalogue`) };
}
