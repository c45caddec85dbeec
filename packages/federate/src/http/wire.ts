/** A request as it arrives, whatever carried it. */
export interface WireRequest {
  readonly method: string;
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

export interface WireResponse {
  readonly status: number;
  readonly body: Uint8Array | string;
  /** `application/json` unless the body is bytes. */
  readonly type?: string;
}

export type WireHandler = (request: WireRequest) => Promise<WireResponse>;

/** One request and its answer, over whatever line there is. Rejects when there was no answer. */
export type Fetcher = (
  url: string,
  request: {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
    readonly signal?: AbortSignal;
  },
) => Promise<{ readonly status: number; readonly body: Uint8Array<ArrayBuffer> }>;

export const json = (value: unknown, status = 200): WireResponse => ({ status, body: JSON.stringify(value) });

/** A No with its reason, which says nothing about people. */
export const refusal = (status: number, reason: string): WireResponse => json({ reason }, status);

/** Said to whoever follows another charter than the one that is run here. */
export const NO_SUCH_RUN =
  'There is no such run here: it was started with another charter. Give everybody the same charter.json.';

/**
 * Several runs at one address: a request is answered by the run that it names. What names none of them goes
 * to the first.
 */
export function severalRuns(
  runs: readonly { readonly run: string; readonly routes: WireHandler }[],
): WireHandler {
  const routes = new Map(runs.map(({ run, routes }) => [run, routes]));
  return (request) => (routes.get(request.path[1] ?? '') ?? runs[0].routes)(request);
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
