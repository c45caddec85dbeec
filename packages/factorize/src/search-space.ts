/**
 * Where a search looks for one setting: log-uniformly within a factor of what the method's own rule suggests
 * (so that the same space serves every data set and every ε), or among given values.
 */
export type SearchRange =
  | { readonly factor: number }
  | { readonly among: readonly (number | boolean | string)[] };

/** What is searched of a method. Settings that it does not use for its kind of feedback do no harm. */
export type SearchSpace<Key extends string = string> = { readonly [Name in Key]?: SearchRange };

export const within = (factor: number): SearchRange => ({ factor });
