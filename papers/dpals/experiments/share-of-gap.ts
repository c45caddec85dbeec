import type { Finding } from '../../harness/experiment.js';
import type { Measured } from '../../harness/measure-task.js';

/**
 * How much of what a method without features loses to the best one without privacy another method wins back:
 * so gains on data of different difficulty can be compared. Reported only.
 */
export function shareOfGap(where: string, better: Measured, plain: Measured, yardstick: Measured): Finding {
  const gap = plain.mean - yardstick.mean;
  return {
    what: `${where}: share of the gap between ${plain.method} and ${yardstick.method} that ${better.method} closes`,
    measured: (plain.mean - better.mean) / gap,
    ...(better.runs > 1 && { error: Math.hypot(better.error, plain.error) / Math.abs(gap) }),
    holds: null,
    note: `gap of ${gap.toFixed(4)} in ${plain.metric}`,
  };
}
