import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Comparison as ComparisonAnswer, ComparisonRow } from '@hushrec/page/contract';

/** With its place within the reports folder; '' for the folder itself. */
export interface Comparison extends ComparisonAnswer {
  readonly folder: string;
  /** The ratings it was measured on are public, so that anyone may see it. */
  readonly isPublic: boolean;
}

const fileName = 'comparison.json';
/** Written by the same command. */
export const reportName = 'report.html';

/** Every `comparison.json` in the folder and one level below; files of another shape are left out. */
export async function readComparisons(directory: string): Promise<Comparison[]> {
  const children = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const places = [
    { id: 'comparison', folder: '' },
    ...children.filter((child) => child.isDirectory()).map(({ name }) => ({ id: name, folder: name })),
  ];
  const found = await Promise.all(places.map(({ id, folder }) => readComparison(directory, id, folder)));
  return found.flat();
}

async function readComparison(directory: string, id: string, folder: string): Promise<Comparison[]> {
  const file = join(directory, folder, fileName);
  try {
    const parsed = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    if (!Array.isArray(parsed['rows'])) return [];
    const rows = parsed['rows'].flatMap((row) => readRow(row as Record<string, unknown>));
    return [
      {
        id,
        folder,
        isPublic: parsed['publicData'] === true,
        title: typeof parsed['title'] === 'string' ? parsed['title'] : id,
        metric: typeof parsed['metric'] === 'string' ? parsed['metric'] : (rows[0]?.metric ?? ''),
        withoutPrivacy: readYardstick(parsed['withoutPrivacy']),
        rows,
        slices: readSlices(parsed['cells']),
        signals: readSignals(parsed['cells']),
        trainedOn: readTrainedOn(parsed['trainedOn']),
        hasReport: existsSync(join(dirname(file), reportName)),
      },
    ];
  } catch {
    return [];
  }
}

function readYardstick(given: unknown): string | null {
  const { method } = (given ?? {}) as Record<string, unknown>;
  return typeof method === 'string' ? method : null;
}

/** Averages the runs of each method and ε, slice by slice. */
function readSlices(cells: unknown): Comparison['slices'] {
  if (!Array.isArray(cells)) return [];
  const sums = new Map<string, { name: string; metric: string; sum: number[]; count: number[] }>();
  for (const cell of cells as readonly Record<string, unknown>[]) {
    const { method, epsilon, slices } = cell ?? {};
    if (typeof method !== 'string' || !Array.isArray(slices)) continue;
    const name = typeof epsilon === 'number' ? `${method}, ε = ${epsilon}` : method;
    for (const [slice, metrics] of slices.entries()) {
      for (const [metric, value] of Object.entries((metrics ?? {}) as Record<string, unknown>)) {
        const key = JSON.stringify([name, metric]);
        const total = sums.get(key) ?? { name, metric, sum: [], count: [] };
        sums.set(key, total);
        while (total.sum.length <= slice) {
          total.sum.push(0);
          total.count.push(0);
        }
        if (typeof value !== 'number' || !Number.isFinite(value)) continue;
        total.sum[slice] += value;
        total.count[slice] += 1;
      }
    }
  }
  return [...sums.values()].map(({ name, metric, sum, count }) => ({
    name,
    metric,
    values: sum.map((total, slice) => (count[slice] === 0 ? null : total / count[slice])),
  }));
}

/** One over the noise over signal of each cell, averaged over the runs of each method and ε. */
function readSignals(cells: unknown): Comparison['signals'] {
  if (!Array.isArray(cells)) return [];
  const found = new Map<string, { method: string; epsilon: number; runs: (number | null)[][] }>();
  for (const cell of cells as readonly Record<string, unknown>[]) {
    const { method, epsilon, noiseToSignal } = cell ?? {};
    if (typeof method !== 'string' || typeof epsilon !== 'number' || !Array.isArray(noiseToSignal)) continue;
    const key = JSON.stringify([method, epsilon]);
    const own = found.get(key) ?? { method, epsilon, runs: [] };
    found.set(key, own);
    own.runs.push(noiseToSignal.map((ratio) => (typeof ratio === 'number' && ratio > 0 ? 1 / ratio : null)));
  }
  return [...found.values()].map(({ method, epsilon, runs }) => ({
    method,
    epsilon,
    values: runs[0].map((_, slice) => {
      const told = runs.flatMap((run) => run[slice] ?? []);
      return told.length === 0 ? null : told.reduce((sum, value) => sum + value, 0) / told.length;
    }),
  }));
}

function readTrainedOn(given: unknown): Comparison['trainedOn'] {
  const { people, items, ratings, feedback } = (given ?? {}) as Record<string, unknown>;
  if (![people, items, ratings].every((count) => Number.isSafeInteger(count) && Number(count) > 0))
    return null;
  if (feedback !== 'ratings' && feedback !== 'likes') return null;
  return { people: Number(people), items: Number(items), ratings: Number(ratings), feedback };
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
