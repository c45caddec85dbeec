import type { ReleaseAnswers, ReleasedValue, ReleaseRequest } from './answering.js';

/**
 * Answers for a run that is tried out before it is paid for: all zero, or numbers drawn around zero with `spread` of the planned
 * noise, so that rules that look at releases reach their branches. `requests` is told what was asked for, in order.
 */
export function rehearsalAnswers(
  requests: (request: ReleaseRequest) => void,
  draw?: (request: ReleaseRequest) => number,
): ReleaseAnswers {
  const number = (request: ReleaseRequest): number => draw?.(request) ?? 0;
  return {
    async answer(request): Promise<ReleasedValue> {
      requests(request);
      switch (request.kind) {
        case 'numbers':
          return {
            kind: 'numbers',
            values: numbersOf(request, draw),
          };
        case 'bits':
          return {
            kind: 'bits',
            values: Uint8Array.from({ length: request.length }, () => (number(request) > 0 ? 1 : 0)),
          };
        case 'choice':
          return {
            kind: 'choice',
            index: Math.min(request.length - 1, Math.floor((Math.abs(number(request)) % 1) * request.length)),
          };
        case 'cells':
          return { kind: 'cells', columns: new Uint32Array(0), values: new Float64Array(0) };
        default:
          return request satisfies never;
      }
    },
  };
}

function numbersOf(request: ReleaseRequest, draw?: (request: ReleaseRequest) => number): Float64Array {
  const values = new Float64Array(request.length);
  if (draw) for (let at = 0; at < values.length; at++) values[at] = draw(request);
  return values;
}
