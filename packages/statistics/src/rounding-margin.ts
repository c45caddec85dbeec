/**
 * Bounds that must survive rounding are enforced a little below their nominal value.
 *
 * A clipped vector or a weight is stored in float32 (relative error 2⁻²⁴) and multiplied by at most three
 * other float32 numbers before it is truncated to an integer (2⁻²⁴ each, or far less in float64). Together
 * that is less than 2⁻²¹; a factor 1 − 2⁻²⁰ on each clipped quantity therefore keeps the truncated integers
 * within the exact bound. Truncation itself moves every coordinate towards zero and can only shrink a norm.
 * Cost: one part in a million of the statistic, nothing in privacy.
 */
export const roundingMargin = 1 - 2 ** -20;
