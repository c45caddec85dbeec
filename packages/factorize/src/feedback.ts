import type { RatingScale } from '@hushrec/ratings';
import type { Method } from './method.js';
import { methods } from './registry.js';
import { SettingsError } from './settings.js';

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
 * Settings fit for the data's kind of feedback: a method that knows both is told to learn choices where there
 * are no ratings, and one that predicts ratings is refused before anything is charged.
 *
 * @throws SettingsError
 */
export function settingsForFeedback<Value>(
  method: Method,
  scale: RatingScale,
  given: Readonly<Record<string, Value>>,
): Record<string, Value | string> {
  if (scale.min < scale.max) return { ...given };
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
