import { concatBytes, utf8 } from '../bytes.js';
import { UnreachableError } from '../federation-errors.js';
import { type Fetcher, json, refusal, text, type WireHandler } from '../http/wire.js';
import type { CoordinatorMessage, PartyMessage } from './messages.js';
import type { MessageHandler, PartyConnection } from './transport.js';

/**
 * A message as bytes: the length of its JSON part, that part with `{ numbers: n }` in place of lists of
 * numbers, and the lists themselves, little-endian float64, one after another.
 */
function encodeMessage(message: CoordinatorMessage | PartyMessage): Uint8Array<ArrayBuffer> {
  const lists: Float64Array[] = [];
  const head = utf8(
    JSON.stringify(message, (_, value: unknown) => {
      if (!(value instanceof Float64Array)) return value;
      lists.push(value);
      return { numbers: value.length };
    }),
  );
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length, true);
  const bytes = lists.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  return concatBytes([length, head, ...bytes]);
}

/** Inverse of `encodeMessage`. @throws RangeError, SyntaxError for what is no message */
function decodeMessage<M extends CoordinatorMessage | PartyMessage>(bytes: Uint8Array): M {
  if (bytes.length < 4) throw new RangeError('A message has at least four bytes.');
  const headLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(0, true);
  let at = 4 + headLength;
  if (at > bytes.length) throw new RangeError('The message is cut off.');
  const message = JSON.parse(text(bytes.subarray(4, at)), (_, value: unknown) => {
    const count = (value as { numbers?: unknown } | null)?.numbers;
    if (typeof count !== 'number') return value;
    const end = at + 8 * count;
    if (!(Number.isInteger(count) && count >= 0 && end <= bytes.length))
      throw new RangeError('The message is cut off.');
    const list = new Float64Array(bytes.slice(at, end).buffer);
    at = end;
    return list;
  }) as M;
  if (at !== bytes.length) throw new RangeError('The message is longer than it says.');
  return message;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isList = (value: unknown) => value instanceof Float64Array;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const messageForms: Readonly<
  Record<CoordinatorMessage['kind'], Readonly<Record<string, (value: unknown) => boolean>>>
> = {
  invitation: {
    session: isText,
    shared: (value) => value === 'item' || value === 'user',
    rows: isNumber,
    rounds: Number.isInteger,
    localRounds: Number.isInteger,
    epsilon: isNumber,
    settings: isObject,
    contribution: (value) => value === 'sums' || value === 'profiles',
  },
  round: { session: isText, round: Number.isInteger, profiles: isList },
  finish: { session: isText, profiles: isList },
};

/** @throws RangeError for what is no message of a coordinator */
function checkedMessage(message: CoordinatorMessage): CoordinatorMessage {
  const kind = isObject(message) ? message.kind : undefined;
  const form = kind !== undefined && Object.hasOwn(messageForms, kind) ? messageForms[kind] : undefined;
  const fields = message as unknown as Readonly<Record<string, unknown>>;
  if (form === undefined || !Object.entries(form).every(([name, fits]) => fits(fields[name])))
    throw new RangeError('That is no message of a coordinator.');
  return message;
}

/** A party behind HTTP: one message in, one out. Who may ask is for TLS to say. */
export function partyRoutes(party: MessageHandler): WireHandler {
  return async ({ method, path, body }) => {
    if (method === 'GET' && path.join('/') === 'v1/own-noise') return json({ party: party.party });
    if (method !== 'POST' || path.join('/') !== 'v1/own-noise') return refusal(404, 'There is nothing here.');
    let message: CoordinatorMessage;
    try {
      message = checkedMessage(decodeMessage<CoordinatorMessage>(body));
    } catch (error) {
      return refusal(400, (error as Error).message);
    }
    const answer = encodeMessage(await party.handle(message));
    return { status: 200, body: answer, type: 'application/octet-stream' };
  };
}

/** Waits until a party answers at its address, as long as the line is patient. Nothing is asked of it. */
export async function waitForParty(url: string, line: Fetcher, signal?: AbortSignal): Promise<void> {
  const { status } = await line(`${url.replace(/\/+$/, '')}/v1/own-noise`, {
    method: 'GET',
    ...(signal && { signal }),
  });
  if (status !== 200) throw new UnreachableError(url, new Error(`it answered ${status}`));
}

/**
 * The coordinator's line to a party elsewhere. A request is made once: a second one would be another round.
 */
export function connectOver(party: string, url: string, fetcher: Fetcher): PartyConnection {
  return {
    party,
    request: async (message) => {
      const { status, body } = await fetcher(`${url.replace(/\/+$/, '')}/v1/own-noise`, {
        method: 'POST',
        body: encodeMessage(message),
      });
      if (status !== 200) throw new UnreachableError(party, new Error(`it answered ${status}`));
      return decodeMessage<PartyMessage>(body);
    },
  };
}
