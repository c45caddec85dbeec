import { expect } from 'vitest';
import type { Metric } from './metric.js';
import type { RatingMetric } from './rating-metric.js';

/** What holds for every metric. */
export function keepsMetricContract(metric: Metric): void {
  expect(metric.name).toMatch(/^[a-z][a-z-]*$/);
  const [best, worst] = valuesOfBestAndWorst(metric);
  expect(Number.isFinite(best) && Number.isFinite(worst)).toBe(true);
  if (metric.better === 'larger') expect(best).toBeGreaterThan(worst);
  else expect(best).toBeLessThan(worst);
  if (metric.unit === 'share') {
    expect(Math.max(best, worst)).toBeLessThanOrEqual(1);
    expect(Math.min(best, worst)).toBeGreaterThanOrEqual(0);
  }
}

/** Of a model that knows what happened, and of one that says the contrary. */
function valuesOfBestAndWorst(metric: Metric): readonly [number, number] {
  switch (metric.needs) {
    case 'ratings': {
      const isChance = metric.predicts.every((predicted) => predicted === 'chances');
      const labels = isChance ? Float64Array.of(0, 1, 1, 0) : Float64Array.of(1, 5, 4, 2);
      const contrary = labels.map((label) => (isChance ? 1 - label : 6 - label));
      return [ofPredictions(metric, labels, labels), ofPredictions(metric, labels, contrary)];
    }
    case 'ranks':
      return [metric.of(Uint8Array.of(1, 1, 0, 0), 2, 3), metric.of(Uint8Array.of(0, 0, 0, 1), 2, 3)];
    case 'lists':
      return [
        metric.of(Int32Array.of(0, 1, 2, 3), 2, 2, 4).value,
        metric.of(Int32Array.of(0, 1, 0, 1), 2, 2, 4).value,
      ];
    default:
      return metric satisfies never;
  }
}

function ofPredictions(metric: RatingMetric, labels: Float64Array, predictions: Float64Array): number {
  const { numerator, denominator } = metric.of({ labels, predictions, scores: predictions });
  return metric.finish(numerator / denominator);
}
