import type { ReleaseAnswers, ReleasedValue, ReleaseRequest } from './answering.js';

/**
 * Answers for a run that is tried out before it is paid for: all zero, or what `draw` gives, so that rules
 * that look at releases reach their branches. `requests` is told what was asked for, in order.
 */
export function rehearsalAnswers(
  requests: (request: ReleaseRequest) => void,
  draw: (request: ReleaseRequest, length: number) => Float64Array = (_, length) => new Float64Array(length),
): ReleaseAnswers {
  return {
    async answer(request): Promise<ReleasedValue> {
      requests(request);
      switch (request.kind) {
        case 'numbers':
          return { kind: 'numbers', values: draw(request, request.length) };
        case 'bits':
          return {
            kind: 'bits',
            values: Uint8Array.from(draw(request, request.length), (value) => (value > 0 ? 1 : 0)),
          };
        case 'choice': {
          const [value] = draw(request, 1);
          return {
            kind: 'choice',
            index: Math.min(request.length - 1, Math.floor((Math.abs(value) % 1) * request.length)),
          };
        }
        case 'cells':
          return { kind: 'cells', columns: new Uint32Array(0), values: new Float64Array(0) };
        default:
          return request satisfies never;
      }
    },
  };
}
