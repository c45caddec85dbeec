import type { PublishedModel } from '@hushrec/model';
import { isTooNoisy, releasedCounts, verdictBounds } from '@hushrec/model/usefulness';

/** A count of less than so many standard deviations of its noise may be noise alone. */
const standsOutAt = 2;

/**
 * Whether noise outweighs taste in a title's vector, from released numbers alone.
 *
 * A certificate says how large noise is beside the signal in the vectors of the most counted tenth and of the
 * least counted half. A title between them is taken to lie between them, on the line through both by the
 * logarithm of its count; above the bound at which personal lists stop beating the bestseller list
 * (`verdictBounds`) noise decides. A title whose count is within two standard deviations of nothing counts as
 * noise, and so does every title of a model that is too noisy.
 */
export function noiseDecides({ model, certificate }: PublishedModel): (item: number) => boolean {
  const { usefulness } = certificate;
  if (usefulness === undefined) return () => false;
  if (isTooNoisy(usefulness)) return () => true;
  const counts = releasedCounts(model, certificate.releases);
  if (counts === undefined) return () => false;
  const { values, noise } = counts;
  const ratioAt = ratios(values, usefulness.vectors);
  return (item) =>
    values[item] < standsOutAt * noise || ratioAt(values[item]) > verdictBounds.vectors.worthIt;
}

/** Noise over signal at a count; 0 where nothing is said of vectors. */
function ratios(
  values: Float32Array,
  vectors: { readonly head: number | null; readonly tail: number | null } | undefined,
): (count: number) => number {
  if (vectors === undefined) return () => 0;
  const sorted = Float32Array.from(values).sort();
  const at = (share: number) => Math.log(Math.max(1, sorted[Math.floor(share * (sorted.length - 1))]));
  const [tailAt, headAt] = [at(0.25), at(0.95)];
  // No signal seen at all: as much noise as can be said, twice the signal.
  const [tail, head] = [Math.log(vectors.tail ?? 2), Math.log(vectors.head ?? 2)];
  return (count) => {
    const share = headAt === tailAt ? 1 : (Math.log(Math.max(1, count)) - tailAt) / (headAt - tailAt);
    return Math.exp(tail + Math.max(0, Math.min(1, share)) * (head - tail));
  };
}
