import { likedFrom, type RatingScale } from '@hushrec/ratings';
import type { Method } from './method.js';
import { methods } from './registry.js';
import { SettingsError } from './settings.js';

/** What a model is for: lists of what someone may like, or the number of stars she would give. */
export const goals = ['rank', 'stars'] as const;
export type Goal = (typeof goals)[number];

/** What is asked for, as far as someone said so. */
export interface AskedGoal {
  readonly goal?: Goal;
  /** The least rating that counts as a like. */
  readonly liked?: number;
}

/**
 * The goal of a run where there are ratings: the one asked for; likes are for lists; a method that learns
 * from grades makes lists unless its setting `feedback` says otherwise, and others keep what they learn.
 *
 * @throws SettingsError where what was said does not go together.
 */
export function goalOf(
  method: Method,
  { goal, liked }: AskedGoal,
  given: Readonly<Record<string, unknown>> = {},
): Goal {
  const set =
    given['feedback'] === undefined ? undefined : given['feedback'] === 'implicit' ? 'rank' : 'stars';
  const unless = (reason: string) =>
    new SettingsError('goal', `goal ${goal} and ${reason} do not go together: leave one of them out.`);
  if (goal === 'stars' && liked !== undefined) throw unless('likes');
  if (goal !== undefined && set !== undefined && goal !== set) throw unless(`feedback=${given['feedback']}`);
  return (
    goal ??
    set ??
    (liked !== undefined || method.learnsGrades === true || !method.feedback.includes('explicit')
      ? 'rank'
      : 'stars')
  );
}

/**
 * From which rating on the training part is likes, without their value; undefined where ratings are kept: for
 * stars, and for lists of a method that learns from grades. Others learn lists from likes, of `likedFrom` on
 * unless something else is said.
 *
 * @throws SettingsError where stars are asked for and the data has none.
 */
export function likesForGoal(
  method: Method,
  declared: RatingScale,
  { goal, liked }: AskedGoal,
): number | undefined {
  if (goal === 'stars' && declared.min === declared.max)
    throw new SettingsError(
      'goal',
      'This data has no ratings to predict: every pair counts 1. Leave the goal out, or ask for rank.',
    );
  const isOfLikes = goal === 'rank' && method.learnsGrades !== true && declared.min < declared.max;
  return liked ?? (isOfLikes ? likedFrom(declared) : undefined);
}

/**
 * What the training part's ratings are: the declared scale, or 1 for every pair where only likes are kept.
 *
 * @throws SettingsError where no rating could be a like: a run would pay for noise alone.
 */
export function trainingScale(declared: RatingScale, liked: number | undefined): RatingScale {
  if (liked === undefined) return declared;
  if (!(liked <= declared.max))
    throw new SettingsError(
      'liked',
      `Likes from ${liked} on would leave nothing: ratings go from ${declared.min} to ${declared.max}.`,
    );
  return { min: 1, max: 1, step: 1 };
}

/**
 * Settings fit for the data's kind of feedback and for the goal: a method that knows both is told to learn
 * choices where there are no ratings, or where ratings are to be grades; one that predicts ratings is refused
 * where there are none, before anything is charged.
 *
 * @throws SettingsError
 */
export function settingsForFeedback<Value>(
  method: Method,
  scale: RatingScale,
  given: Readonly<Record<string, Value>>,
  goal: Goal = 'stars',
): Record<string, Value | string> {
  if (scale.min < scale.max)
    return goal === 'rank' && method.learnsGrades === true
      ? { ...given, feedback: 'implicit' }
      : { ...given };
  if (!method.feedback.includes('implicit'))
    throw new SettingsError(
      'feedback',
      `${method.id} predicts ratings, and this data has none: every pair counts 1. \`hushrec methods\` lists others; ${choosersLike(method).join(', ')} learn from choices.`,
    );
  return method.settings['feedback'] === undefined || 'feedback' in given
    ? { ...given }
    : { ...given, feedback: 'implicit' };
}

/** Methods that learn from choices and protect what this one does: people, single ratings, or nothing. */
function choosersLike(method: Method): string[] {
  return methods
    .filter((each) => each.feedback.includes('implicit') && levelOf(each) === levelOf(method))
    .map(({ id }) => id);
}

function levelOf({ protects }: Method): 'people' | 'ratings' | 'nothing' {
  if (protects.length === 0) return 'nothing';
  return protects.some(({ unit }) => unit === 'user') ? 'people' : 'ratings';
}
