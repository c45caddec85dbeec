import type { SettingsSchema, SettingValues } from '@hushrec/factorize';

/**
 * Where a search looks for one setting: log-uniformly within a factor of what the method's own rule suggests (so that
 * the same space serves every data set and every ε), or among given values.
 */
export type SearchRange = { readonly factor: number } | { readonly among: readonly (number | boolean)[] };

export type SearchSpace = Readonly<Record<string, SearchRange>>;

const within = (factor: number): SearchRange => ({ factor });

const alternating: SearchSpace = {
  rank: within(2.5),
  rounds: within(1.8),
  userRidge: within(4),
  itemRidge: within(6),
  clipNorm: within(3),
  targetBound: within(1.8),
  matrixShare: within(3),
  weightExponent: within(1.6),
  interceptRidge: within(3),
  roundGrowth: within(1.6),
  unobservedWeight: within(4),
};

const descent: SearchSpace = {
  rank: within(2.5),
  rounds: within(2.5),
  userRidge: within(4),
  itemRidge: within(6),
  clipNorm: within(3),
  gradientBound: within(5),
  learningRate: within(5),
  weightExponent: within(1.6),
  unobservedWeight: within(4),
};

/** What is searched, by method. Settings that a method does not use for its kind of feedback do no harm. */
export const searchSpaces: Readonly<Record<string, SearchSpace>> = {
  als: { rank: within(2), ridge: within(2.5), ridgeExponent: within(1.4) },
  ials: { rank: within(2), ridge: within(8), unobservedWeight: within(8) },
  dpals: alternating,
  'dp-cmf': { ...alternating, tokenWeight: within(8), tokenRidge: within(4) },
  'am-ssp': {
    ...alternating,
    featurePull: within(1.5),
    tokenRidge: within(4),
    learningRate: within(4),
    embedding: within(2),
  },
  'am-dpsgd': { ...descent, stepsPerRound: within(2) },
  'dp-sgd': descent,
  'dp-svd': { rank: within(4), rowBound: within(3), userRidge: within(6), interceptRidge: within(3) },
  'dp-fw': { rounds: within(3), rowBound: within(3), nuclearNorm: within(6), userRidge: within(6) },
  hush: {
    rank: within(2),
    rounds: within(1.6),
    roundGrowth: within(1.4),
    weightExponent: within(1.7),
    effectShare: within(1.7),
    effectBound: within(2),
    vectorBound: within(2),
    momentBound: within(3),
    interceptRidge: within(2),
    varianceFactor: within(1.25),
    choiceBound: within(2.5),
    choiceMomentBound: within(3),
    unobservedRatio: within(4),
    userRidge: within(4),
    foldInInterceptRidge: within(2),
    faintWeight: within(4),
  },
};

/** The method has no search space. */
export class SearchSpaceError extends RangeError {
  override readonly name = 'SearchSpaceError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    super(
      `There is no search space for "${method}". Known: ${Object.keys(searchSpaces).join(', ')}. Leave the method out of the tuning.`,
    );
    this.method = method;
  }
}

/**
 * One candidate around `base`: every searched setting drawn independently, within its schema's range, whole where it has
 * to be. Settings named in `fixed` keep their value.
 */
export function drawCandidate(
  space: SearchSpace,
  schema: SettingsSchema,
  base: SettingValues,
  fixed: Readonly<Record<string, unknown>>,
  random: () => number,
): SettingValues {
  const drawn: Record<string, number | string | boolean> = {};
  for (const [key, range] of Object.entries(space)) {
    const uniform = random(); // drawn for every setting, so that fixing one leaves the others as they were
    const setting = schema[key];
    if (setting === undefined || Object.hasOwn(fixed, key)) continue;
    if ('among' in range) {
      drawn[key] = range.among[Math.min(range.among.length - 1, Math.floor(uniform * range.among.length))]!;
      continue;
    }
    const centre = base[key];
    if (typeof centre !== 'number' || (setting.type !== 'number' && setting.type !== 'integer')) continue;
    const value = centre * range.factor ** (2 * uniform - 1);
    const whole = setting.type === 'integer' ? Math.round(value) : Number(value.toPrecision(4));
    drawn[key] = Math.min(setting.max, Math.max(setting.min, whole));
  }
  return drawn;
}
