import { type CalibratedPlan, describeProtection } from '@hushrec/privacy';

/** The promise of a plan in sentences, for someone who decides whether to press start. */
export function guaranteeInWords(plan: CalibratedPlan): string[] {
  if (!Number.isFinite(plan.epsilon)) {
    const noised = plan.releases.some(({ noise }) => noise > 0);
    return [
      noised
        ? 'Nothing is proved: noise is added, but no ε holds for what is published. Whoever holds it may learn about the people in the data.'
        : 'No privacy: this model is trained without noise. Whoever holds it may learn about the people in the data.',
      ...(plan.claimedByPaper
        ? [`The paper claims: ${plan.claimedByPaper.claim}. ${plan.claimedByPaper.why}`]
        : []),
      'Keep it for comparison; do not publish it.',
    ];
  }
  const epsilon = plan.epsilon.toPrecision(4).replace(/\.?0+$/, '');
  const words = [
    `Protected: ${describeProtection(plan.unit, plan.relation)}.`,
    `Published: ${plan.released}. Whatever anyone concludes from it, the probability of that conclusion is at most e^ε ≈ ${factor(plan.epsilon)} times what it would have been without that data, plus δ (ε = ${epsilon}, δ = ${plan.delta < 1e-3 ? plan.delta.toExponential() : plan.delta}).`,
    `Noise is added in ${plan.releases.reduce((sum, { count }) => sum + count, 0)} releases, listed below; their cost together is computed by the accountant "${plan.accountant}".`,
  ];
  if (plan.claimedByPaper !== undefined) {
    words.push(
      `The paper claims: ${plan.claimedByPaper.claim}. What is proved differs. ${plan.claimedByPaper.why}`,
    );
  }
  return words;
}

function factor(epsilon: number): string {
  const value = Math.exp(epsilon);
  return value < 1e4 ? value.toPrecision(3) : value.toExponential(1);
}
