import type { Finding } from '../../harness/experiment.js';
import type { Crossing } from './crossing.js';
import { appendixChanges, type Changes, type FriedmanData, type PrivateMethod } from './paper-settings.js';

/** When a method reaches global effects: as published, and as measured on all folds with all runs. */
export interface EffectsCrossing {
  readonly method: PrivateMethod;
  readonly published: number;
  readonly measured: Crossing;
}

/**
 * Which factorization reaches global effects first, beside the one that does so in the paper. Where they
 * differ, the two are measured again, by `measure` and so on as many folds and runs, with each thing that the
 * paper's appendix says otherwise than its §5.
 */
export async function firstToEffects(
  data: FriedmanData,
  factorizations: readonly EffectsCrossing[],
  measure: (method: PrivateMethod, changes: Changes) => Promise<Crossing>,
): Promise<Finding[]> {
  const published = factorizations.reduce((first, each) => (each.published < first.published ? each : first));
  const measured = factorizations.reduce((first, each) =>
    epsilonOf(each.measured) < epsilonOf(first.measured) ? each : first,
  );
  const findings: Finding[] = [
    {
      what: `${data}: ${published.method} is the first factorization to reach global effects`,
      published: published.published,
      measured: epsilonOf(published.measured),
      holds: measured === published,
      note: factorizations.map(({ method, measured: at }) => `${method} ${shown(at)}`).join('; '),
    },
  ];
  if (measured === published) return findings;
  for (const { what, changes } of appendixChanges[data]) {
    const ahead = await measure(published.method, changes[published.method] ?? {});
    const behind = await measure(measured.method, changes[measured.method] ?? {});
    findings.push({
      what: `${data}: ${published.method} reaches global effects before ${measured.method} with ${what}`,
      published: published.published,
      measured: epsilonOf(ahead),
      holds: epsilonOf(ahead) < epsilonOf(behind),
      note: `${published.method} ${shown(ahead)}; ${measured.method} ${shown(behind)}; intervals ${overlap(ahead, behind) ? 'overlap' : 'do not overlap'}`,
    });
  }
  return findings;
}

const epsilonOf = ({ epsilon }: Crossing) => epsilon ?? Number.POSITIVE_INFINITY;

function shown(crossing: Crossing): string {
  const { epsilon, low, high } = crossing;
  if (epsilon === null) return 'never';
  return low === null || high === null
    ? epsilon.toPrecision(3)
    : `${epsilon.toPrecision(3)} (${low.toPrecision(3)} to ${high.toPrecision(3)})`;
}

function overlap(a: Crossing, b: Crossing): boolean {
  if (a.low === null || a.high === null || b.low === null || b.high === null) return false;
  return a.low <= b.high && b.low <= a.high;
}
