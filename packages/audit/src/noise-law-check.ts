import { type CalibratedPlan, logNormalCdf } from '@hushrec/privacy';
import { binomialTail } from './binomial.js';
import { type NoiseEvidence, noiseEvidence } from './noise-law.js';
import type { Transcript } from './transcript.js';

/** One thing that was looked at, over all runs, beside what the plan says of it. */
export interface LawFinding {
  /** Release, and what of it. */
  readonly what: string;
  readonly draws: number;
  /** What was seen over what was planned: 1 is right. */
  readonly ratio: number;
  /** Probability of something as far from the plan as this, in either direction, if the plan was kept. */
  readonly probability: number;
}

/**
 * Whether noise has the planned law, line by line of the plan, over all parts and runs. Each line is judged
 * on its own, so that a small one cannot hide among large ones.
 */
export class NoiseLawCheck {
  readonly #totals = new Map<string, NoiseEvidence>();
  readonly #planned = new Set<string>();
  readonly #seen = new Set<string>();

  /** @param plan of this run, with the lines of all its stages */
  add(plan: CalibratedPlan, transcript: Transcript, exact: Transcript): void {
    for (const { name } of plan.releases) this.#planned.add(name);
    for (const [key, { release, value }] of transcript) {
      const truth = exact.get(key)?.value;
      if (truth === undefined) continue;
      const line = plan.releases.find((each) => each.name === release)!;
      for (const evidence of noiseEvidence(line, value, truth)) {
        // Parts of one line may differ in what an event is: only equal probabilities add up.
        const kind = evidence.kind === 'events' ? evidence.probability : '';
        const at = `${release}: ${evidence.what} ${kind}`;
        this.#totals.set(
          at,
          sumOf(this.#totals.get(at), { ...evidence, what: `${release}, ${evidence.what}` }),
        );
        this.#seen.add(release);
      }
    }
  }

  get draws(): number {
    let draws = 0;
    for (const evidence of this.#totals.values()) draws += evidence.draws;
    return draws;
  }

  /** Lines of the plans of which nothing could be seen. */
  get unseen(): readonly string[] {
    return [...this.#planned].filter((name) => !this.#seen.has(name));
  }

  /**
   * What is least probable under the plan, its probability taken for the best of so many looks; absent where
   * nothing was seen.
   */
  worst(): LawFinding | undefined {
    const findings = [...this.#totals.values()].map(judged);
    const worst = findings.reduce<LawFinding | undefined>(
      (least, each) => (least === undefined || each.probability < least.probability ? each : least),
      undefined,
    );
    return worst && { ...worst, probability: Math.min(1, worst.probability * findings.length) };
  }
}

function sumOf(total: NoiseEvidence | undefined, more: NoiseEvidence): NoiseEvidence {
  if (total === undefined) return more;
  const draws = total.draws + more.draws;
  if (total.kind === 'events' && more.kind === 'events')
    return { ...total, draws, happened: total.happened + more.happened };
  if (total.kind === 'sizes' && more.kind === 'sizes')
    return {
      ...total,
      draws,
      sum: total.sum + more.sum,
      mean: total.mean + more.mean,
      variance: total.variance + more.variance,
    };
  throw new TypeError('Sizes and events do not add up.');
}

function judged(evidence: NoiseEvidence): LawFinding {
  const { what, draws } = evidence;
  if (evidence.kind === 'events') {
    const { happened, probability } = evidence;
    const above = binomialTail(draws, happened, probability);
    const below = binomialTail(draws, draws - happened, 1 - probability);
    const ratio = happened / (draws * probability);
    return { what, draws, ratio, probability: Math.min(1, 2 * Math.min(above, below)) };
  }
  const { sum, mean, variance } = evidence;
  return { what, draws, ratio: sum / mean, probability: gammaTails(sum, mean, variance) };
}

/**
 * Probability that a Gamma variable of this mean and variance is as far out as `sum`, in either direction.
 * Wilson and Hilferty (1931): the cube root of a Gamma(k) variable over its mean is nearly normal, with mean
 * 1 − 1/(9k) and variance 1/(9k). Where this says 1e-7 the exact probability is smaller, for every whole k:
 * there are fewer alarms than stated, never more.
 */
export function gammaTails(sum: number, mean: number, variance: number): number {
  const ninth = variance / (9 * mean * mean);
  const z = (Math.cbrt(sum / mean) - (1 - ninth)) / Math.sqrt(ninth);
  return Math.min(1, 2 * Math.exp(logNormalCdf(-Math.abs(z))));
}
