import type { HistoryEntry } from '@hushrec/recommend';
import { CommandError, exitCodes } from './exit-codes.js';

/** An entry of a history file, and where it stands: a line of text, or a place in a JSON list, from 1. */
export interface PlacedEntry extends HistoryEntry {
  readonly place: number;
}

/**
 * One person's own history: lines of `item,rating` (also tab, `;` or `::`), a rating left out for likes, an optional
 * header; or JSON, `[{"id": "…", "rating": 4}, …]`. Item ids may contain the separator: only the last field is a number.
 *
 * @param known ids of the model, to tell a header from a first line
 */
export function parseHistory(text: string, file: string, known: ReadonlySet<string>): PlacedEntry[] {
  if (/^\s*\[/.test(text)) return parseJson(text, file);
  const entries: PlacedEntry[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const match = /^(.*?)\s*(?:::|[,;\t])\s*([^,;\t:]*)$/.exec(line);
    const id = unquote(match?.[1] ?? line);
    const field = match?.[2]?.trim() ?? '';
    if (field === '') {
      entries.push({ id, place: at + 1 });
      continue;
    }
    const rating = Number(field);
    if (Number.isNaN(rating)) {
      if (known.has(line.trim())) entries.push({ id: line.trim(), place: at + 1 });
      else if (entries.length > 0 || at > 0)
        throw new CommandError(
          exitCodes.badData,
          `${file}, line ${at + 1}: the rating is not a number. Expected item,rating.`,
        );
      continue;
    }
    entries.push({ id, rating, place: at + 1 });
  }
  return entries;
}

function parseJson(text: string, file: string): PlacedEntry[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      exitCodes.badData,
      `${file}: not valid JSON. Expected [{"id": "…", "rating": 4}, …].`,
      { cause: error },
    );
  }
  return (parsed as unknown[]).map((entry, at) => {
    const { id, rating } = (entry ?? {}) as { id?: unknown; rating?: unknown };
    if (
      (typeof id !== 'string' && typeof id !== 'number') ||
      (rating !== undefined && typeof rating !== 'number')
    )
      throw new CommandError(
        exitCodes.badData,
        `${file}, entry ${at + 1}: expected {"id": "…", "rating": number}.`,
      );
    return { id: String(id), place: at + 1, ...(rating !== undefined && { rating }) };
  });
}

function unquote(field: string): string {
  const trimmed = field.trim();
  return trimmed.startsWith('"') && trimmed.endsWith('"') && trimmed.length > 1
    ? trimmed.slice(1, -1).replaceAll('""', '"')
    : trimmed;
}
