import type { ModelSummary } from './server-interface.js';

/** One measured quality with its confidence interval. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The metrics of `metrics.json`, leaving out what has not the expected shape. */
export function metricsOf(model: Pick<ModelSummary, 'metrics'>): Measured[] {
  const metrics = model.metrics?.['metrics'];
  if (typeof metrics !== 'object' || metrics === null) return [];
  return Object.entries(metrics).flatMap(([name, measured]) => {
    const { value, low, high } = (measured ?? {}) as Record<string, unknown>;
    if (typeof value !== 'number') return [];
    return [
      {
        name,
        value,
        low: typeof low === 'number' ? low : value,
        high: typeof high === 'number' ? high : value,
      },
    ];
  });
}
