/** A metric as people read it. */
export interface MetricWords {
  /** On a button. */
  readonly choice: string;
  /** Over a chart. */
  readonly title: string;
  /** Shares of favourites are told out of a hundred. */
  readonly times: 1 | 100;
  /** Less is better. */
  readonly isError: boolean;
}

/** What is asked most: whether favourites are found, whether they stand in order, whether stars are right. */
const kinds = ['recall@', 'ndcg@', 'rmse'];

export function metricWords(metric: string): MetricWords {
  const isError = /rmse|mae|error|mse|loss/i.test(metric);
  const first = /@(\d+)$/.exec(metric)?.[1];
  if (metric.startsWith('recall@'))
    return {
      choice: 'Finds favourites',
      title: `Held-out favourites in the top ${first}, of 100`,
      times: 100,
      isError,
    };
  if (metric.startsWith('ndcg@'))
    return { choice: 'Order', title: `How well the top ${first} is ordered (${metric})`, times: 1, isError };
  if (metric === 'rmse') return { choice: 'Stars', title: 'How far off stars are (rmse)', times: 1, isError };
  return { choice: metric, title: metric, times: 1, isError };
}

/** One metric of each kind that is asked most; where there is none of them, the first few. */
export function mainMetrics(metrics: readonly string[]): string[] {
  const known = kinds.flatMap((kind) => metrics.find((metric) => metric.startsWith(kind)) ?? []);
  return known.length > 0 ? known : metrics.slice(0, 4);
}
