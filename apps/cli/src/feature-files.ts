import type { Dataset, FeatureSource } from '@hushrec/ratings';
import { OptionError } from './command.js';

/** The files of `--features`, each of the kind that `--kind` gives in the same place (categorical unless given). */
export async function addFeatureFiles(
  flags: { readonly features?: readonly string[]; readonly kind?: readonly string[] },
  dataset: Dataset,
): Promise<readonly FeatureSource[]> {
  const { importFeatures } = await import('@hushrec/ratings');
  const sources: FeatureSource[] = [];
  for (const [at, file] of (flags.features ?? []).entries()) {
    const kind = flags.kind?.[at] ?? 'categorical';
    if (kind !== 'categorical' && kind !== 'similarity' && kind !== 'public-ratings')
      throw new OptionError(`--kind ${kind}: expected categorical, similarity or public-ratings.`);
    sources.push((await importFeatures(file, { kind }, dataset)).source);
  }
  return sources;
}
