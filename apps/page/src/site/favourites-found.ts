import { shownEpsilon } from '@hushrec/model/words';
import { isBaseline, referenceName } from './baselines.js';
import { mainMetrics } from './metric-words.js';
import type { Comparison } from './server-interface.js';

/** One amount beside others. */
export interface Amount {
  readonly name: string;
  /** Of the largest of them. */
  readonly share: number;
  readonly words: string;
  readonly kind: 'guarded' | 'open';
}

/**
 * Of 100 held-out favourites, how many a list has: without privacy, with `hush` from the least private ε on,
 * and the bestseller list; undefined where a sweep did not count them.
 */
export function favouritesFound({
  rows,
  metric: decides,
  withoutPrivacy,
}: Pick<Comparison, 'rows' | 'metric' | 'withoutPrivacy'>):
  | { readonly top: string; readonly rows: readonly Amount[] }
  | undefined {
  const metrics = new Set(rows.map((row) => row.metric));
  const metric = mainMetrics([...metrics], decides).find((each) => each.startsWith('recall@'));
  const own = rows.filter((row) => row.metric === metric);
  const guarded = own
    .filter(({ method, epsilon, unit }) => method === 'hush' && epsilon !== null && unit === 'user')
    .sort((a, b) => b.epsilon! - a.epsilon!);
  if (metric === undefined || guarded.length === 0) return undefined;
  const open = own.filter(({ epsilon }) => epsilon === null);
  // What was chosen for other metrics is no yardstick of this one.
  const yardstick = decides.startsWith('recall@') ? withoutPrivacy : null;
  const best = open
    .filter(({ method }) => !isBaseline(method) && (yardstick === null || method === yardstick))
    .sort((a, b) => b.mean - a.mean)
    .slice(0, 1);
  const plain = open.filter(({ method }) => isBaseline(method)).slice(0, 1);
  const most = Math.max(...own.map(({ mean }) => mean), 1e-9);
  const amount = (name: string, mean: number, kind: Amount['kind']): Amount => ({
    name,
    share: mean / most,
    words: String(Math.round(100 * mean)),
    kind,
  });
  return {
    top: metric.slice('recall@'.length),
    rows: [
      ...best.map(({ mean }) => amount('no privacy', mean, 'open')),
      ...guarded.map(({ epsilon, mean }) => amount(`ε = ${shownEpsilon(epsilon!)}`, mean, 'guarded')),
      ...plain.map(({ method, mean }) => amount(referenceName(method), mean, 'open')),
    ],
  };
}
