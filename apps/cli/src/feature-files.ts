import type { Method, SettingValues } from '@hushrec/factorize';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { OptionError, repeated } from './command.js';

export interface FeatureFlags {
  readonly features?: readonly string[];
  readonly kind?: readonly string[];
}

/** `--features` and `--kind`. */
export function addFeatureFlags(command: Command): Command {
  return command
    .option(
      '--features <file>',
      'public item features (repeatable); none ignores those of the data set too',
      repeated,
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'what the features file before it is: categorical, similarity or public-ratings (repeatable)',
      ).argParser(repeated),
    );
}

/** Whether nothing is to be learned of items, not even what the data set brings along: `--features none`. */
export function leavesOutFeatures({ features = [] }: Pick<FeatureFlags, 'features'>): boolean {
  if (!features.includes('none')) return false;
  if (features.length > 1)
    throw new OptionError('--features none leaves out all features: give no other --features beside it.');
  return true;
}

/**
 * The files of `--features`, each of the kind that `--kind` gives in the same place (categorical unless
 * given).
 */
export async function addFeatureFiles(
  flags: FeatureFlags,
  dataset: { readonly itemIds: readonly string[]; readonly ratings: Pick<RatingMatrix, 'scale'> },
  say?: (line: string) => void,
): Promise<readonly FeatureSource[]> {
  if (leavesOutFeatures(flags)) return [];
  const { importFeatures } = await import('@hushrec/ratings');
  const { features = [], kind: kinds = [] } = flags;
  if (kinds.length > features.length)
    throw new OptionError(
      'There are more --kind than --features: each --kind describes the file in its place.',
    );
  const sources: FeatureSource[] = [];
  for (const [at, file] of features.entries()) {
    const kind = kinds[at] ?? 'categorical';
    if (kind !== 'categorical' && kind !== 'similarity' && kind !== 'public-ratings')
      throw new OptionError(`--kind ${kind}: expected categorical, similarity or public-ratings.`);
    const { source, report } = await importFeatures(file, { kind }, dataset);
    say?.(
      `Features ${file} (${kind}): ${report.items - report.itemsWithout} of ${report.items} items have them, ${report.itemsWithout} have none.`,
    );
    sources.push(source);
  }
  return sources;
}

/** The files of `--features`, joined to the items of a data set; says what of them is not used. */
export async function featureFiles(
  directory: string,
  method: Pick<Method, 'id' | 'learnsFrom'>,
  flags: FeatureFlags,
  say: (line: string) => void,
): Promise<readonly FeatureSource[]> {
  if ((flags.features ?? []).length === 0) return [];
  const { readAllButRatings, readManifest } = await import('@hushrec/ratings');
  const manifest = await readManifest(directory);
  const dataset = await readAllButRatings(directory, manifest);
  const files = await addFeatureFiles(flags, { ...dataset, ratings: manifest }, say);
  for (const line of unusedSources([method], files)) say(line);
  return files;
}

/** That a method is another one here, in one line; undefined where it is itself. */
export function sameMethod(
  method: Pick<Method, 'id' | 'sameAs'>,
  settings: SettingValues,
  sources: readonly FeatureSource[],
): string | undefined {
  const same = method.sameAs?.(settings, sources);
  return (
    same && `Without facts about items (--features), ${method.id} is ${same}: the same model, up to rounding.`
  );
}

/** One line for every method that learns nothing from some of these sources; none where all are used. */
export function unusedSources(
  methods: readonly Pick<Method, 'id' | 'learnsFrom'>[],
  sources: readonly FeatureSource[],
): readonly string[] {
  return methods.flatMap(({ id, learnsFrom = [] }) => {
    const unused = sources.filter(({ kind }) => !learnsFrom.includes(kind)).map(({ name }) => name);
    if (unused.length === 0) return [];
    const instead =
      learnsFrom.length === 0 ? 'no public features' : `${learnsFrom.join(' and ')} features only`;
    return [`Not used: ${unused.join(', ')}. ${id} learns from ${instead}.`];
  });
}
