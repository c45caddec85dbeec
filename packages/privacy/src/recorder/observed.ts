import type { ReleasedValue, ReleaseRequest } from './answering.js';
import type { ReleaseRecorder } from './port.js';
import { sensitiveLength } from './sensitive.js';
import { wrapRecorder } from './wrap.js';

/**
 * The same recorder; `note` is told every request and what was released for it, before the run goes on. The
 * value is a copy where the run may write to its own. Post-processing of what was released, so it costs
 * nothing.
 */
export function observedRecorder(
  recorder: ReleaseRecorder,
  note: (request: ReleaseRequest, value: ReleasedValue) => void | Promise<void>,
): ReleaseRecorder {
  const occurrences = new Map<string, number>();
  return wrapRecorder(recorder, (open, release) => {
    const occurrence = occurrences.get(release) ?? 0;
    occurrences.set(release, occurrence + 1);
    const at = (part: number) => ({ release, occurrence, part });
    return {
      async add(part, statistic, gridStep, layout = { kind: 'vector' }, options) {
        const values = await open.add(part, statistic, gridStep, layout, options);
        const request = { ...at(part), kind: 'numbers', length: values.length, gridStep, layout } as const;
        await note(request, { kind: 'numbers', values: values.slice() });
        return values;
      },
      async flip(part, bits) {
        const values = await open.flip(part, bits);
        await note(
          { ...at(part), kind: 'bits', length: values.length },
          { kind: 'bits', values: values.slice() },
        );
        return values;
      },
      async select(part, scores, gridStep) {
        const index = await open.select(part, scores, gridStep);
        await note(
          { ...at(part), kind: 'choice', length: sensitiveLength(scores), gridStep },
          { kind: 'choice', index },
        );
        return index;
      },
      async thresholdedLaplace(part, cells, row) {
        const { columns, values } = await open.thresholdedLaplace(part, cells, row);
        const { columnCount: length, gridStep, threshold, clampTo } = row;
        await note(
          { ...at(part), kind: 'cells', length, gridStep, threshold, clampTo },
          { kind: 'cells', columns: columns.slice(), values: values.slice() },
        );
        return { columns, values };
      },
    };
  });
}
