import { numbersByName, SettingsError, type SettingsOf, type SettingsSchema } from '@hushrec/factorize';
import type { FeatureSource } from '@hushrec/ratings';

/** Weight and ridge of public sources: by kind, and by name as multiples of their kind's. */
export const publicSourceSettings = {
  tokenWeight: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1e6,
    description: 'α of categorical sources, relative to one rating. 0 leaves them out.',
  },
  tokenRidge: { type: 'number', default: 10, min: 1e-9, max: 1e6, description: 'λ′ of token vectors.' },
  featureUnobservedWeight: {
    type: 'number',
    default: 0.01,
    min: 0,
    max: 100,
    description:
      'Weight of absent entries: of tokens an item does not have and, with implicit feedback, of items that public people did not choose.',
  },
  similarityWeight: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1e6,
    description: 'α of similarity sources. 0 leaves them out.',
  },
  similarityRidge: {
    type: 'number',
    default: 10,
    min: 1e-9,
    max: 1e6,
    description: 'λ′ of similarity vectors.',
  },
  publicRatingsWeight: {
    type: 'number',
    default: 1,
    min: 0,
    max: 1e6,
    description: 'α of public people’s ratings. 0 leaves them out.',
  },
  publicRatingsRidge: {
    type: 'number',
    default: 10,
    min: 1e-9,
    max: 1e6,
    description: 'λ′ of public people’s vectors.',
  },
  sourceWeights: {
    type: 'numbers-by-name',
    default: '',
    min: 0,
    max: 1e6,
    description:
      'α of single sources as multiples of their kind’s, e.g. genre:0.5,critics.csv:2. Names are those of categorical fields and of files; 0 leaves a source out.',
  },
  sourceRidges: {
    type: 'numbers-by-name',
    default: '',
    min: 1e-9,
    max: 1e6,
    description: 'λ′ of single sources as multiples of their kind’s, written like sourceWeights.',
  },
} as const satisfies SettingsSchema;

export type PublicSourceSettings = SettingsOf<typeof publicSourceSettings>;

/** A source or one of its categorical fields: what a matrix is called. */
function namesOf(source: FeatureSource): readonly string[] {
  return source.kind === 'categorical'
    ? [source.name, ...source.fields.map(({ name }) => name)]
    : [source.name];
}

/** Refuses `sourceWeights` and `sourceRidges` that name what is not there. */
export function checkSourceNames(features: readonly FeatureSource[], settings: PublicSourceSettings): void {
  const known = new Set(features.flatMap(namesOf));
  for (const key of ['sourceWeights', 'sourceRidges'] as const) {
    for (const name of numbersByName(key, settings[key]).keys()) {
      if (known.has(name)) continue;
      const there =
        known.size === 0
          ? 'There are no public sources; give them by --features'
          : `Known: ${[...known].join(', ')}`;
      throw new SettingsError(key, `${key} names "${name}", which is no public source here. ${there}.`);
    }
  }
}

/**
 * α and λ′ of a source: its kind's, times what `sourceWeights` and `sourceRidges` give for the first of its
 * names that they mention (a field's own number comes before that of the file it stands in).
 */
export function multiplesByName(
  settings: PublicSourceSettings,
): (weight: number, ridge: number, ...names: readonly string[]) => { weight: number; ridge: number } {
  const weights = numbersByName('sourceWeights', settings.sourceWeights);
  const ridges = numbersByName('sourceRidges', settings.sourceRidges);
  return (weight, ridge, ...names) => {
    const multiple = (numbers: ReadonlyMap<string, number>) =>
      numbers.get(names.find((name) => numbers.has(name)) ?? '') ?? 1;
    return { weight: weight * multiple(weights), ridge: ridge * multiple(ridges) };
  };
}
