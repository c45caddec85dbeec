import type { Board } from '../board.js';
import type { SignedCharter } from '../charter.js';
import { RefusedError } from '../federation-errors.js';
import { json, NO_SUCH_RUN, refusal, type WireHandler } from './wire.js';

/** Longest time in seconds that a request for the next entry is kept waiting. */
const LONGEST_WAIT = 25;

/**
 * The public board behind HTTP: charter, catalogue, entries as they come. For everyone; nothing is about
 * anyone.
 */
export function boardRoutes(signed: SignedCharter, catalogue: unknown, board: Board): WireHandler {
  return async ({ method, path, query, signal }) => {
    const [version, run, what, number, kind, detail] = path;
    if (method !== 'GET' || version !== 'v1') return refusal(404, 'There is nothing here.');
    if (run === 'charter') return json(signed);
    if (run !== signed.charter.run) return refusal(404, NO_SUCH_RUN);
    if (what === 'charter') return json(signed);
    if (what === 'catalogue') return json(catalogue);
    if (what !== 'log' || !/^\d{1,6}$/.test(number ?? '')) return refusal(404, 'There is nothing here.');
    const exchange = Number(number);
    try {
      if (kind === 'shares') return octets(await board.share(exchange, Number(detail)));
      let entry = await board.peek(exchange);
      const until = Date.now() + 1000 * Math.min(LONGEST_WAIT, Number(query.get('wait') ?? 0));
      while (entry === undefined && board.end === undefined && Date.now() < until) {
        const timeout = AbortSignal.timeout(Math.max(1, until - Date.now()));
        await board.changed(AbortSignal.any([signal, timeout])).catch(() => undefined);
        signal.throwIfAborted();
        entry = await board.peek(exchange);
      }
      if (entry === undefined) return board.end === undefined ? { status: 204, body: '' } : json(board.end);
      const { sums, ...rest } = entry;
      return kind === 'sums' ? octets(sums) : json(rest);
    } catch (error) {
      if (error instanceof RefusedError) return refusal(error.status, error.message);
      throw error;
    }
  };
}

const octets = (body: Uint8Array) => ({ status: 200, body, type: 'application/octet-stream' });
