import { didYouMean } from '@hushrec/factorize';
import { type AskedMetric, askedName, type Metric } from './metrics/metric.js';
import { metrics } from './metrics.js';

/** A metric that there is not, or that was asked for in a way that it does not understand. */
export class MetricError extends RangeError {
  override readonly name = 'MetricError';
  readonly kind = 'usage';
}

/**
 * Reads `rmse,recall@20`: names from the list, with the length of the lists where a metric is of lists.
 *
 * @throws MetricError with the names that there are
 */
export function readMetrics(text: string): readonly AskedMetric[] {
  const asked = text.split(',').map((each) => readMetric(each.trim()));
  return asked.filter((each, at) => asked.findIndex((other) => askedName(other) === askedName(each)) === at);
}

/** Reads one of them. */
export function readMetric(text: string): AskedMetric {
  const [, name = '', at] = /^([^@]*)(@.*)?$/.exec(text) ?? [];
  const metric = metrics.find((each) => each.name === name);
  if (metric === undefined)
    throw new MetricError(
      `There is no metric "${text}".${didYouMean(
        text,
        metrics.map((each) => (each.needs === 'ratings' ? each.name : `${each.name}${at ?? ''}`)),
      )} Known: ${metrics.map(shape).join(', ')}; k is a number, e.g. recall@20.`,
    );
  if (metric.needs === 'ratings') {
    if (at === undefined) return { metric };
    throw new MetricError(`${name} looks at predictions, not at lists: leave ${at} out.`);
  }
  const cutoff = Number(at?.slice(1));
  if (!Number.isInteger(cutoff) || cutoff < 1 || cutoff > longest)
    throw new MetricError(
      `"${text}" is not of the form ${name}@k, with the length of the lists for k: a whole number from 1 to ${longest}, e.g. ${name}@20.`,
    );
  return { metric, cutoff };
}

const longest = 10_000;

const shape = ({ name, needs }: Metric) => (needs === 'ratings' ? name : `${name}@k`);
