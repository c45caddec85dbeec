/**
 * From add/remove to replace, for the sums of second moments (A_j + noise σ_A, b_j + noise σ_b) of all items
 * (L5). With a = Γ_u⁴/σ_A² and b = Γ_u²Γ_y²/σ_b², removing a person costs μ² = β(a + b), and replacing one
 * costs
 *
 *   μ² = β·(2a + 2b + b²/(2a)) if b ≤ 2a, else 4βb.
 *
 * Proof. Write s, s′ ≤ 1 for the squared lengths of the two people's vectors over Γ_u², c for the cosine
 * between them, S, S′ ≤ β for their squared weights and X ≤ √(SS′) for the inner product of weights. Targets
 * of opposite sign at the bound are worst, and the squared change is a(Ss² + S′s′² − 2Xss′c²) + b(Ss + S′s′ +
 * 2X√(ss′)c), affine in X. With a negative slope X = 0 is best: 2β(a + b), below both formulas. Otherwise
 * X = √(SS′), and with t = √(ss′)c ∈ [0, 1] the cross term 2β(bt − at²) is largest at t = b/(2a), or at t = 1
 * when that exceeds 1. ∎
 *
 * Returns replaceμ²/addRemoveμ²: between 2 and 4; 2.25 for a = b.
 */
export function replaceFactorOfSquaredMu(a: number, b: number): number {
  if (!(a >= 0 && b >= 0 && a + b > 0))
    throw new RangeError(`a = ${a} and b = ${b} must be ≥ 0, not both 0.`);
  const replaced = b <= 2 * a ? 2 * a + 2 * b + (b * b) / (2 * a) : 4 * b;
  return replaced / (a + b);
}
