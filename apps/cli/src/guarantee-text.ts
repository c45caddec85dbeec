import type { CalibratedPlan, PrivacyUnit, Relation } from '@hushrec/privacy';

/** The guarantee of a plan, in words a privacy officer reads before anything happens. */
export function guaranteeText(
  plan: CalibratedPlan,
  simulation: boolean,
  describeProtection: (unit: PrivacyUnit, relation: Relation) => string,
): string {
  if (!Number.isFinite(plan.epsilon)) {
    return `No privacy: ${plan.released} will be computed exactly and nobody is protected.`;
  }
  const width = Math.max(...plan.releases.map(({ name }) => name.length), 4);
  return [
    `Protected: ${describeProtection(plan.unit, plan.relation)}.`,
    `ε = ${plan.epsilon}, δ = ${plan.delta} (${plan.accountant}). Released: ${plan.released}.`,
    ...(simulation
      ? ['SIMULATION: a seed was given, so the noise can be recomputed and nobody is protected.']
      : []),
    ...(plan.claimedByPaper
      ? [`The paper claims: ${plan.claimedByPaper.claim} ${plan.claimedByPaper.why}`]
      : []),
    'Planned releases:',
    ...plan.releases.map(
      ({ name, mechanism, sensitivity, noise, count }) =>
        `  ${name.padEnd(width)}  ${String(count).padStart(3)} ×  ${mechanism.kind}, noise ${short(noise)} against sensitivity ${short(sensitivity)}`,
    ),
  ].join('\n');
}

function short(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
