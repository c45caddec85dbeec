import { averageOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';
import { chooseRidge, chooseShares } from './choose-settings.js';
import { leaveOneOutTask } from './leave-one-out-rank.js';
import { norms } from './noise-balance.js';
import { keptSession, printedProfiles, protocol, rankOf, unobservedWeight } from './printed-session.js';
import { type DpimfData, paper, type Variant, variants } from './published-tables.js';
import { orderFindings } from './variant-order.js';

/** ε and β₂ of the paper's noise plots. */
const plotted = { epsilon: 0.1, quadraticShare: 0.8 };

/**
 * Figure 5: item profiles learnt; how far the noise of the second-order coefficients spreads, and HR@10
 * against ε.
 */
export const figure5: Experiment = {
  id: 'dpimf/figure5',
  title: 'DPIMF: noise and HR@10 of its four variants, item profiles learnt',
  paper: `${paper}, Figure 5`,
  needs: ['ml-100k', 'amazon-instant-video'],
  minutes: 8,
  quickMinutes: 3,
  async run(context) {
    const epsilons = context.quick ? [10] : [1, 3, 5, 10];
    const all = [];
    for (const data of ['ml-100k', 'amazon-instant-video'] as const)
      all.push(await measure(context, data, epsilons));
    return {
      findings: all.flatMap(({ findings }) => findings),
      guarantee: `Claimed: ε for each pass. Proved as printed: nothing. ${protocol}`,
      sections: all.map(({ data, points }) => ({
        heading: `HR@10 against ε, ${data}`,
        chart: {
          kind: 'line',
          title: `HR@10, ${data}`,
          x: { label: 'ε claimed for a pass', scale: 'log' },
          y: { label: 'HR@10 among 99 sampled candidates' },
          series: points.map(({ variant, bySeed }) => ({
            name: variant,
            points: epsilons.map((epsilon, at) => ({
              x: epsilon,
              y: averageOf(bySeed.map((runs) => runs[at])).mean,
            })),
          })),
        },
      })),
    };
  },
};

interface VariantPoints {
  readonly variant: Variant;
  /** HR@10 by seed, then by ε. */
  readonly bySeed: readonly (readonly number[])[];
}

async function measure(context: ExperimentContext, data: DpimfData, epsilons: readonly number[]) {
  const dataset = await loadRealData(context, data);
  const task = leaveOneOutTask(dataset, context.seed);
  const { settings } = await chooseRidge(context, data, task, 'item');
  const shares = (await chooseShares(context, data, task, 'item', settings.ridge)).settings;
  const session = { task, data, ...shares, shared: 'item' } as const;
  const points: VariantPoints[] = [];
  for (const variant of variants) {
    context.progress(`${data}, ${variant}`, points.length, variants.length);
    const bySeed: number[][] = [];
    for (let seed = context.seed; seed < context.seed + (context.quick ? 2 : 10); seed++) {
      const hits: number[] = [];
      for (const epsilon of epsilons) {
        context.signal.throwIfAborted();
        hits.push((await keptSession(context, { ...session, variant, epsilon, seed })).sampled.hitRate);
      }
      bySeed.push(hits);
    }
    points.push({ variant, bySeed });
  }
  const { users } = await printedProfiles({
    ...session,
    variant: 'symmetric',
    epsilon: 5,
    seed: context.seed,
  });
  const order = orderFindings(
    points.map(({ variant, bySeed }) => ({
      name: variant,
      bySeed: bySeed.map((hits) => averageOf(hits).mean),
    })),
  );
  const at = (variant: Variant) => points.find((each) => each.variant === variant)!;
  const best = epsilons.filter((_, k) =>
    variants.every(
      (variant) =>
        averageOf(at('optimal').bySeed.map((hits) => hits[k])).mean >=
        averageOf(at(variant).bySeed.map((hits) => hits[k])).mean,
    ),
  );
  const findings: Finding[] = [
    ...noiseFindings(users, rankOf[data]),
    ...order,
    {
      what: `number of ε, of ${epsilons.length}, at which the optimal variant is best`,
      measured: best.length,
      holds: best.length === epsilons.length,
    },
  ].map((finding) => ({ ...finding, what: `${data}: ${finding.what}` }));
  return { data, points, findings };
}

/**
 * Standard deviation of one second-order coefficient, √2 times the Laplace scale: Δ/ε with Δ = 2C₁ + C₁² + 1
 * (strawman, eq. 9), (1 − α₀)C₁²/(β₂ε) (eq. 16) and (1 − α₀)(C₁² + C₂²)/2/(β₂ε) (eq. 18). It falls from each
 * to the next whatever the profiles, as long as 1 − α₀ ≤ β₂.
 */
function noiseFindings(profiles: Float64Array, width: number): Finding[] {
  const { l1, l2 } = norms(profiles, width);
  const { epsilon, quadraticShare } = plotted;
  const split = (1 - unobservedWeight) / quadraticShare;
  const spread = [2 * l1 + l1 ** 2 + 1, split * l1 ** 2, (split * (l1 ** 2 + Math.min(l1, l2) ** 2)) / 2].map(
    (sensitivity) => (Math.SQRT2 * sensitivity) / epsilon,
  );
  return ['strawman', 'complementary', 'symmetric'].map((variant, at) => ({
    what: `standard deviation of a noised second-order coefficient, ${variant}, ε = ${epsilon}`,
    measured: spread[at],
    holds: at === 0 ? null : spread[at] < spread[at - 1],
    ...(at > 0 && { note: 'lower than the one before, as in the plots' }),
  }));
}
