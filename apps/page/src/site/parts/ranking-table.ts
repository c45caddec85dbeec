import { percentWords } from '@hushrec/model/words';
import { formatNumber } from '@hushrec/report';
import { element } from '../build-element.js';
import { mainMetrics, metricWords } from '../metric-words.js';
import { amountBar } from '../pictures/measures.js';
import type { Ranked, Ranking } from '../ranking.js';

const mostMetrics = 2;

/** Models or methods in order of quality, with bars from 0. */
export function rankingTable({ ranked, decides }: Ranking, what: 'Model' | 'Method'): HTMLElement {
  const names = [...new Set(ranked.flatMap(({ values }) => [...values.keys()]))];
  const metrics = mainMetrics(names, decides).slice(0, mostMetrics);
  const coverage = names.find((name) => name.startsWith('coverage@'));
  const last =
    coverage !== undefined
      ? 'Titles shown'
      : ranked.some(({ standsOut }) => standsOut !== null)
        ? 'Stands out'
        : undefined;
  const lastOf = ({ values, standsOut }: Ranked) => {
    const share = coverage === undefined ? standsOut : (values.get(coverage) ?? null);
    return share === null ? '–' : percentWords(share);
  };
  return element(
    'table',
    { class: 'stacked ranked', 'aria-label': 'Ranking' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        [what, ...metrics.map(columnName), ...(last === undefined ? [] : [last])].map((name) =>
          element('th', { scope: 'col' }, name),
        ),
      ),
    ),
    element(
      'tbody',
      {},
      ranked.map((each) =>
        element(
          'tr',
          {},
          element(
            'td',
            {},
            element('strong', {}, each.name),
            element('span', { class: 'small quiet' }, each.note),
          ),
          metrics.map((metric) =>
            element('td', { 'data-label': columnName(metric) }, measuredCell(each, metric, ranked)),
          ),
          last === undefined ? null : element('td', { 'data-label': last }, lastOf(each)),
        ),
      ),
    ),
  );
}

function measuredCell(each: Ranked, metric: string, ranked: readonly Ranked[]): HTMLElement {
  const value = each.values.get(metric);
  if (value === undefined) return element('span', { class: 'quiet' }, '–');
  const most = Math.max(...ranked.map(({ values }) => values.get(metric) ?? 0));
  return element(
    'span',
    { class: 'row' },
    element('span', { class: 'figures' }, value < 10 ? value.toFixed(3) : formatNumber(value)),
    amountBar(value / most, each.kind),
  );
}

/** What less is better of says so. */
function columnName(metric: string): string {
  return metricWords(metric).isError ? `${capital(metric)}, less is better` : capital(metric);
}

/** As papers write it: RMSE, NDCG@10, Recall@20. */
function capital(metric: string): string {
  const [name, ...rest] = metric.split('@');
  const written = name.length <= 4 ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1);
  return [written, ...rest].join('@');
}
