import type { Run } from '../state/run.js';

/** A run that was asked for and has not begun. */
export function queuedRun(id: string, changes: Partial<Run> = {}): Run {
  return {
    id,
    request: {
      dataset: 'sample',
      method: 'dpals',
      epsilon: 1,
      delta: 1e-6,
      settings: { rank: 8 },
      model: id,
    },
    status: 'queued',
    startedBy: null,
    published: null,
    createdAt: `2026-01-01T00:00:0${id.length}.000Z`,
    startedAt: null,
    endedAt: null,
    progress: null,
    result: null,
    quality: null,
    error: null,
    ...changes,
  };
}
