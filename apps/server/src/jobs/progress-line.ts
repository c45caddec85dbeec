import type { LiveSignal, RunProgress } from '../state/run.js';

/**
 * Reads a progress line of the command line (`HUSHREC_PROGRESS=json`): one JSON object with stage, done and
 * total, and with `live` where something was released.
 */
export function parseProgressLine(line: string): RunProgress | undefined {
  if (!line.startsWith('{')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { stage, done, total, live } = parsed as Record<string, unknown>;
  if (typeof stage !== 'string' || typeof done !== 'number' || typeof total !== 'number') return undefined;
  const heard = liveSignal(live);
  return { stage: stage.slice(0, 200), done, total, ...(heard && { live: heard }) };
}

function liveSignal(given: unknown): LiveSignal | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { releases, items, itemsAboveNoise, fifths } = given as Record<string, unknown>;
  if (!Array.isArray(releases) || !releases.every((each) => typeof each === 'string')) return undefined;
  const isCounted = typeof items === 'number' && typeof itemsAboveNoise === 'number';
  const isFifths = Array.isArray(fifths) && fifths.every((each) => each === null || typeof each === 'number');
  return {
    releases: releases.slice(0, 500),
    ...(isCounted && { items, itemsAboveNoise }),
    ...(isFifths && { fifths }),
  };
}
