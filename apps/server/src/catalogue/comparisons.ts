import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Results of one `hushrec compare`: quality of methods at several ε. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly ComparisonRow[];
}

export interface ComparisonRow {
  readonly method: string;
  readonly unit: string;
  /** Null where there is no finite guarantee. */
  readonly epsilon: number | null;
  readonly delta: number;
  readonly metric: string;
  readonly mean: number;
  readonly sd: number | null;
  readonly runs: number;
  readonly seconds: number;
}

const fileName = 'comparison.json';

/** Every `comparison.json` in the folder and one level below; files of another shape are left out. */
export async function readComparisons(directory: string): Promise<Comparison[]> {
  const children = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const places = [
    { id: 'comparison', file: join(directory, fileName) },
    ...children
      .filter((child) => child.isDirectory())
      .map(({ name }) => ({ id: name, file: join(directory, name, fileName) })),
  ];
  const found = await Promise.all(places.map(({ id, file }) => readComparison(id, file)));
  return found.flat();
}

async function readComparison(id: string, file: string): Promise<Comparison[]> {
  try {
    const parsed = JSON.parse(await readFile(file, 'utf8')) as { title?: unknown; rows?: unknown };
    if (!Array.isArray(parsed.rows)) return [];
    const rows = parsed.rows.flatMap((row) => readRow(row as Record<string, unknown>));
    return [{ id, title: typeof parsed.title === 'string' ? parsed.title : id, rows }];
  } catch {
    return [];
  }
}

function readRow(row: Record<string, unknown>): ComparisonRow[] {
  const { method, unit, epsilon, delta, metric, mean, sd, runs, seconds } = row ?? {};
  if (typeof method !== 'string' || typeof metric !== 'string' || typeof mean !== 'number') return [];
  const numberOr = <Other>(value: unknown, other: Other) =>
    typeof value === 'number' && Number.isFinite(value) ? value : other;
  return [
    {
      method,
      unit: typeof unit === 'string' ? unit : 'none',
      epsilon: numberOr(epsilon, null),
      delta: numberOr(delta, 0),
      metric,
      mean,
      sd: numberOr(sd, null),
      runs: numberOr(runs, 1),
      seconds: numberOr(seconds, 0),
    },
  ];
}
