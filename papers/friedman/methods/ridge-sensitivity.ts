/**
 * How far one value moves a ridge solution x = (XᵀX + aI)⁻¹Xᵀy when the rows of X have norm at most `norm`
 * and the value moves by 1: at most h(norm, a), with
 *
 *   h = norm/(a + norm²) if norm ≤ √a, else 1/(2√a).
 *
 * Proof. The move is ‖(XᵀX + aI)⁻¹x‖. Write N = XᵀX − xxᵀ + aI ⪰ aI and z = N⁻¹x; by Sherman–Morrison it is
 * ‖z‖/(1 + xᵀz) with xᵀz = zᵀNz ≥ a‖z‖², so at most t/(1 + at²), t = ‖z‖ ≤ norm/a, which grows up to
 * t = 1/√a. ∎ Never more than the norm/a of Friedman et al. 2016, Theorem 6.
 */
export function ridgeResponseBound(norm: number, ridge: number): number {
  return norm * norm <= ridge ? norm / (ridge + norm * norm) : 1 / (2 * Math.sqrt(ridge));
}

/**
 * How far adding one pair (x, y), ‖x‖ ≤ norm, |y| ≤ valueBound, moves argmin_{‖u‖≤R} Σ(y − u·x)² + ridge‖u‖²:
 * at most norm·(valueBound + R·norm)/ridge.
 *
 * Proof. The objective is 2·ridge-strongly convex and the added term has gradient −2x(y − u·x), of norm at
 * most 2·norm·(valueBound + R·norm) on the ball; the move of a constrained minimiser is at most the gradient
 * of the added term at the new minimiser over the strong convexity. ∎ The ridge must not depend on the pair.
 */
export function ballRidgeMoveBound(norm: number, valueBound: number, radius: number, ridge: number): number {
  return (norm * (valueBound + radius * norm)) / ridge;
}
