import type { CalibratedPlan, PrivacyUnit, Relation } from '@hushrec/privacy';
import { deltaText } from './number-text.js';

/** The guarantee of a plan, in words a privacy officer reads before anything happens. */
export function guaranteeText(
  plan: CalibratedPlan,
  simulation: boolean,
  describeProtection: (unit: PrivacyUnit, relation: Relation) => string,
  asked: { readonly epsilon: number; readonly accounting: string } = {
    epsilon: plan.epsilon,
    accounting: 'exact',
  },
): string {
  if (!Number.isFinite(plan.epsilon)) {
    if (plan.claimedByPaper === undefined)
      return `No privacy: ${plan.released} will be computed exactly and nobody is protected.`;
    const { claim, why } = plan.claimedByPaper;
    return [
      `No privacy guarantee: ${plan.released} get the noise of the paper, for which no finite ε is proved.`,
      `The paper claims ${claim}. ${why}`,
    ].join('\n');
  }
  const lines = releaseLines(plan.releases);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [
    `Protected: ${describeProtection(plan.unit, plan.relation)}.`,
    `ε = ${plan.epsilon}, δ = ${deltaText(plan.delta)} (${plan.accountant}). Released: ${plan.released}.`,
    ...(asked.accounting === 'exact'
      ? []
      : [
          `Noise was calibrated to a nominal ε = ${asked.epsilon} by ${asked.accounting} accounting; the true ε of that noise is ${plan.epsilon}.`,
        ]),
    ...(simulation
      ? ['SIMULATION: a seed was given, so the noise can be recomputed and nobody is protected.']
      : []),
    ...(plan.claimedByPaper
      ? [`The paper claims ${plan.claimedByPaper.claim}. What is proved differs. ${plan.claimedByPaper.why}`]
      : []),
    'Planned releases:',
    ...lines.map(([name, what]) => `  ${name.padEnd(width)}  ${what}`),
  ].join('\n');
}

/** One line per kind of release; rounds whose noise differs share one. */
function releaseLines(releases: CalibratedPlan['releases']): [name: string, what: string][] {
  const kinds = new Map<string, CalibratedPlan['releases'][number][]>();
  for (const release of releases) {
    const kind = release.name.replace(/-round-\d+$/, '');
    kinds.set(kind, [...(kinds.get(kind) ?? []), release]);
  }
  return [...kinds].map(([kind, group]) => {
    const first = group[0]!;
    const last = group.at(-1)!;
    const count = group.reduce((sum, release) => sum + release.count, 0);
    const noise =
      first.noise === last.noise
        ? short(first.noise)
        : `${short(first.noise)} falling to ${short(last.noise)}`;
    return [
      kind,
      `${String(count).padStart(3)} ×  ${first.mechanism.kind}, noise ${noise} against sensitivity ${short(first.sensitivity)}`,
    ];
  });
}

function short(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
