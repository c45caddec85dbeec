import type { AskedMetric } from '@hushrec/evaluate';
import { metrics } from '@hushrec/evaluate/metrics';
import type { Command } from 'commander';

/** Which metrics are measured. */
export interface MetricFlags {
  readonly metrics?: string;
}

const namesOf = (ofLists: boolean) =>
  metrics
    .filter(({ needs }) => (needs !== 'ratings') === ofLists)
    .map(({ name }) => name)
    .join(', ');

export function addMetricFlag(command: Command): void {
  command.option(
    '--metrics <list>',
    `metrics, separated by commas (what suits the protocol and the model): ${namesOf(false)}; with the length of lists, as in ndcg@10: ${namesOf(true)}`,
  );
}

/** Those that were named, as an option of an evaluation; none where nobody named any. */
export async function metricsAsked({
  metrics: text,
}: MetricFlags): Promise<{ readonly metrics?: readonly AskedMetric[] }> {
  if (text === undefined) return {};
  const { readMetrics } = await import('@hushrec/evaluate');
  return { metrics: readMetrics(text) };
}
