import type { SweepCell, SweepRow, Tuned, WithoutPrivacy } from '@hushrec/evaluate';
import { shownEpsilon } from '@hushrec/model/words';
import { OptionError } from './command.js';
import { privacyPanels } from './privacy-panels.js';

/** RMSE where ratings are predicted by all; recall@20 otherwise. */
export function mainMetric(cells: readonly SweepCell[]): string {
  const shared = Object.keys(cells[0]?.metrics ?? {}).filter((name) =>
    cells.every((cell) => name in cell.metrics),
  );
  return ['rmse', 'auc', 'recall@20', 'ndcg@10'].find((name) => shared.includes(name)) ?? shared[0] ?? 'rmse';
}

/**
 * The metrics of tables and curves: those that were asked for, or `main` alone.
 *
 * @throws OptionError for one that no method has here
 */
export function shownMetrics(
  asked: readonly string[] | undefined,
  rows: readonly SweepRow[],
  main: string,
): readonly string[] {
  const shown = [...new Set(asked ?? [main])];
  const measured = new Set(rows.map((row) => row.metric));
  const missing = shown.filter((name) => !measured.has(name));
  if (missing.length > 0)
    throw new OptionError(
      `None of these methods has ${missing.join(', ')} under this protocol. Measured: ${[...measured].join(', ') || 'nothing'}.`,
    );
  return shown;
}

/** Which methods have no value of a metric that others have, in words. */
export function missingMetrics(shown: readonly string[], rows: readonly SweepRow[]): readonly string[] {
  const methods = [...new Set(rows.map(({ method }) => method))];
  return shown.flatMap((name) => {
    const without = methods.filter((id) => rows.every((row) => row.method !== id || row.metric !== name));
    return without.length === 0 ? [] : [`There is no ${name} of what ${without.join(' and ')} gives here.`];
  });
}

/** One block per privacy unit: ε of different units must not be read against each other. */
export function comparisonTable(
  rows: readonly SweepRow[],
  metric: string,
  trainedOn: { readonly people: number; readonly ratings: number },
  asIfPeople?: number,
): string {
  const cellsOf = ({ method, epsilon, mean, sd, runs, seconds }: SweepRow) => [
    method,
    epsilon === null ? '∞' : String(epsilon),
    runs > 1 ? `${mean.toFixed(4)} ± ${(sd / Math.sqrt(runs)).toFixed(4)}` : mean.toFixed(4),
    String(runs),
    `${seconds.toFixed(1)} s`,
  ];
  const isRepeated = rows.some(({ runs }) => runs > 1);
  const head = ['method', 'ε', isRepeated ? `${metric} ± standard error` : metric, 'runs', 'time'];
  const all = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column].length)));
  const lineOf = (cells: readonly string[]) =>
    `  ${cells.map((field, column) => field.padEnd(widths[column])).join('  ')}`.trimEnd();
  const blocks = privacyPanels(rows, trainedOn).map(({ title, meaning, rows: own }) =>
    [
      title,
      ...(meaning === '' ? [] : [meaning]),
      lineOf(head),
      ...own.map((row) => lineOf(cellsOf(row))),
    ].join('\n'),
  );
  return [
    ...(asIfPeople === undefined
      ? []
      : [`As if ${asIfPeople} people had contributed (a simulation: no guarantee for this data).`]),
    ...blocks,
  ].join('\n\n');
}

/**
 * Which method "without privacy" means, and what is better than it all the same: then it fits this data less
 * well than it could.
 */
export function withoutPrivacyText(
  best: WithoutPrivacy | undefined,
  tuned: readonly Pick<Tuned, 'method' | 'epsilon' | 'candidates'>[],
): string[] {
  if (best === undefined) return [];
  const { method, metric, validation, mean, among, below } = best;
  const searched = tuned.filter(({ epsilon }) => epsilon === null);
  const chosen =
    among.length === 1
      ? 'the only one here'
      : `the best of ${among.join(', ')} on validation (${validation.toFixed(4)})`;
  const lines = [`Without privacy: ${method}, ${metric} ${mean.toFixed(4)}, ${chosen}.`];
  if (below.length > 0) {
    const rows = below.map((row) => `${row.method} at ε = ${row.epsilon ?? '∞'} (${row.mean.toFixed(4)})`);
    lines.push(
      `${rows.join(', ')} ${rows.length === 1 ? 'is' : 'are'} above it. Noise improves nothing: the methods without privacy fit this data less well, ${
        searched.length === 0
          ? 'by their own rules'
          : `though ${searched.map(({ method: id, candidates }) => `${id} was searched with ${candidates} candidates`).join(', ')}`
      }. \`--tune\` with more candidates looks further.`,
    );
  }
  return [lines.join('\n')];
}

/** What was chosen, and what choosing it would cost if it had to be private. */
export function tuningText(tuned: readonly Tuned[], metric: string): string[] {
  if (tuned.length === 0) return [];
  const lines = tuned.map(({ method, epsilon, settings, validation, untuned, trials, failures, cost }) => {
    const chosen = Object.entries(settings)
      .map(([key, value]) => `${key}=${value}`)
      .join(' ');
    return [
      `${method}${epsilon === null ? '' : `, ε ${epsilon}`}: ${metric} on validation ${validation.toFixed(4)} (untuned ${untuned.toFixed(4)}) with ${chosen || 'its own rules'}`,
      ...(failures.length > 0 ? [`  ${failures.length} candidates could not be trained`] : []),
      ...(cost === undefined
        ? []
        : [
            `  the same tuning made private: ε ${shownEpsilon(cost.randomStopping, 3)} by random stopping, ${shownEpsilon(cost.composition, 3)} by composing ${trials} trainings`,
          ]),
    ].join('\n');
  });
  return [
    `Settings were tuned on validation without charge: the ε of the table does not include it.\n${lines.join('\n')}`,
  ];
}

/** All rows, for other programs. */
export function comparisonCsv(rows: readonly SweepRow[]): string {
  const columns = ['method', 'unit', 'epsilon', 'delta', 'metric', 'mean', 'sd', 'runs', 'seconds'] as const;
  return `${[columns.join(','), ...rows.map((row) => columns.map((column) => row[column] ?? '').join(','))].join('\n')}\n`;
}
