/**
 * min(1, Γ/‖x‖): what brings a vector within a bound.
 *
 * Lemma: ‖c·x‖ ≤ Γ for c = min(1, Γ/‖x‖). Where ‖x‖ ≤ Γ, c is 1 and nothing changes; elsewhere c‖x‖ = Γ. ∎ A
 * person's part depends on that person alone, so after this a person who comes or goes moves a sum by at most
 * Γ. It is a minimum: with a maximum, short vectors are stretched and long ones pass.
 *
 * In floating point the quotient and the norm are off by a few units of 2⁻⁵³ for each square in the norm;
 * callers take that back with `roundingMargin` or with a margin for the length. NaN gives NaN and an infinite
 * norm 0: callers leave such vectors out before.
 *
 * @param norm ‖x‖ ≥ 0
 * @param bound Γ > 0
 */
export function clipFactor(norm: number, bound: number): number {
  return Math.min(1, bound / norm);
}
