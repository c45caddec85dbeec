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

/**
 * One metric of each kind that is asked most, the one that decides before all others; where there is none of
 * these kinds, the first few.
 */
export function mainMetrics(metrics: readonly string[], decides = ''): string[] {
  const inOrder = metrics.toSorted((a, b) => Number(b === decides) - Number(a === decides));
  const known = kinds.flatMap((kind) => inOrder.find((metric) => metric.startsWith(kind)) ?? []);
  if (known.length === 0) return inOrder.slice(0, 4);
  return known.toSorted((a, b) => Number(b === decides) - Number(a === decides));
}

/** Of a model that predicts stars, how far off they are; of one that ranks, what it finds. */
export function decidingMetric(feedback: 'explicit' | 'implicit', metrics: readonly string[]): string {
  return metrics.find((metric) => metric.startsWith(feedback === 'explicit' ? 'rmse' : 'recall@')) ?? '';
}
