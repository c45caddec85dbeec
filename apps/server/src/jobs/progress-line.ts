import type { RunProgress } from '../state/run.js';

/** Reads a progress line of the command line (`HUSHREC_PROGRESS=json`): one JSON object with stage, done and total. */
export function parseProgressLine(line: string): RunProgress | undefined {
  if (!line.startsWith('{')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { stage, done, total } = parsed as Record<string, unknown>;
  if (typeof stage !== 'string' || typeof done !== 'number' || typeof total !== 'number') return undefined;
  return { stage: stage.slice(0, 200), done, total };
}
