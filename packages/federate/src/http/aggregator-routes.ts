import type { AggregatorPort } from '../aggregator-port.js';
import { concatBytes, fromHex, hashHex, toHex, utf8 } from '../bytes.js';
import { type Charter, charterHash } from '../charter.js';
import { RefusedError } from '../federation-errors.js';
import type { EntryHeader } from '../release-log.js';
import { openShare, type SealingKey } from '../sealed-share.js';
import { signedBy } from '../signatures.js';
import {
  json,
  NO_SUCH_RUN,
  refusal,
  text,
  type WireHandler,
  type WireRequest,
  type WireResponse,
} from './wire.js';

/**
 * An aggregator behind HTTP. Anyone whom the charter admits may `PUT` reports, sealed to it; everything else
 * is for the coordinator, who signs what it asks for. All requests may be repeated: a second one changes
 * nothing.
 *
 * @param seat the aggregator's place in the charter, and the key it opens reports with until the run has
 * ended
 */
export function aggregatorRoutes(
  charter: Charter,
  aggregator: AggregatorPort,
  seat: { readonly index: number; readonly sealing: SealingKey | undefined },
): WireHandler {
  const hashed = charterHash(charter);
  return async (request) => {
    const [version, run, number, what, detail] = request.path;
    const exchange = Number(number);
    // For devices, which compare it with what the charter says of this address.
    if (request.method === 'GET' && version === 'v1' && run === 'card')
      return json(charter.aggregators[seat.index]);
    if (version !== 'v1' || run !== charter.run) return refusal(404, NO_SUCH_RUN);
    if (!/^\d{1,6}$/.test(number ?? '')) return refusal(404, 'There is no such exchange.');
    try {
      if (request.method === 'PUT' && what === 'reports') {
        const { 'hushrec-log': head = '', 'hushrec-admission': admission } = request.headers;
        const { index: share, sealing } = seat;
        if (sealing === undefined) return refusal(410, 'The run is over.');
        const report = detail ?? '';
        const place = { charter: await hashed, exchange, report, head, share };
        const body = await openShare(request.body, place, sealing);
        if (body === undefined) return refusal(400, NOT_SEALED);
        const answer = await aggregator.put(exchange, report, head, body, admission);
        return json({ reason: answer.reason }, answer.status);
      }
      if (!(await fromCoordinator(charter, request)))
        return refusal(403, 'Only the coordinator may ask this.');
      return await answerCoordinator(aggregator, request, exchange, charter.aggregators.length);
    } catch (error) {
      if (error instanceof RefusedError) return refusal(error.status, error.message);
      throw error;
    }
  };
}

/** What the coordinator asks about an exchange of a run of so many aggregators. */
async function answerCoordinator(
  aggregator: AggregatorPort,
  request: WireRequest,
  exchange: number,
  aggregators: number,
): Promise<WireResponse> {
  const [, , , what, detail] = request.path;
  const asked = (name: string) => Number(request.query.get(name));
  switch (`${request.method} ${what}`) {
    case 'GET held':
      return bytes(joinIds(await aggregator.held(exchange, asked('most'), asked('from'))));
    case 'POST lacking':
      return bytes(joinIds(await aggregator.lacking(exchange, splitIds(request.body))));
    case 'GET state':
      return json(await aggregator.state(exchange));
    case 'POST fold':
      return json(await aggregator.fold(exchange, Number(detail), splitIds(request.body)));
    case 'POST look':
      return bytes(await aggregator.look(exchange, splitIds(request.body)));
    case 'GET looks':
      return json(await aggregator.looks(exchange));
    case 'POST vouch':
      return bytes(await aggregator.vouch(exchange, splitIds(request.body)));
    case 'POST judge': {
      const { length } = request.body;
      const end = Math.min(length, 32 * asked('reports') || 0);
      const ids = splitIds(request.body.subarray(0, end));
      return bytes(joinIds(await aggregator.judge(exchange, ids, request.body.slice(end))));
    }
    case 'POST publish':
      return bytes(await aggregator.publish(exchange, detail ?? ''));
    case 'POST attest':
      return json(await aggregator.attest(...splitAttest(request.body, aggregators)));
    default:
      return refusal(404, 'There is nothing here.');
  }
}

const NOT_SEALED = 'This is not a report that was sealed to this aggregator, for this exchange and log.';

const bytes = (body: Uint8Array) => ({ status: 200, body, type: 'application/octet-stream' });

/** What a coordinator signs: the request itself, so that the signature serves for nothing else. */
export async function requestContent(method: string, path: string, body: Uint8Array): Promise<object> {
  return { body: await hashHex(body), method, path };
}

async function fromCoordinator({ coordinator }: Charter, request: WireRequest): Promise<boolean> {
  const value = request.headers['hushrec-signature'] ?? '';
  const query = request.query.size > 0 ? `?${request.query}` : '';
  const path = `/${request.path.join('/')}${query}`;
  const content = await requestContent(request.method, path, request.body);
  return signedBy('request', content, { publicKey: coordinator.publicKey, value });
}

/** A header's length, the header, and the words of all aggregators, each as long as the others. */
export function joinAttest(header: EntryHeader, shares: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const head = utf8(JSON.stringify(header));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length, true);
  return concatBytes([length, head, ...shares]);
}

function splitAttest(body: Uint8Array<ArrayBuffer>, count: number): [EntryHeader, Uint8Array[]] {
  const begin =
    body.length < 4 ? Infinity : 4 + new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  const length = (body.length - begin) / count;
  if (!(Number.isInteger(length) && length >= 0))
    throw new RefusedError(400, 'That is no header of an entry with everybody’s words.');
  const shares = Array.from({ length: count }, (_, at) =>
    body.slice(begin + length * at, begin + length * (at + 1)),
  );
  try {
    return [JSON.parse(text(body.subarray(4, begin))) as EntryHeader, shares];
  } catch {
    throw new RefusedError(400, 'That is no header of an entry.');
  }
}

/** Ids of reports, 32 bytes each. */
export function joinIds(ids: readonly string[]): Uint8Array<ArrayBuffer> {
  return concatBytes(ids.map(fromHex));
}

export function splitIds(body: Uint8Array): string[] {
  if (body.length % 32 !== 0) throw new RefusedError(400, 'Ids have 32 bytes each.');
  return Array.from({ length: body.length / 32 }, (_, at) => toHex(body.subarray(32 * at, 32 * at + 32)));
}
