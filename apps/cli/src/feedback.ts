import type { Method } from '@hushrec/factorize';
import type { RatingScale } from '@hushrec/ratings';
import { OptionError } from './command.js';

/**
 * What the training part's ratings are: the declared scale, or 1 for every pair where only likes are kept.
 */
export function trainingScale(declared: RatingScale, liked: number | undefined): RatingScale {
  return liked === undefined ? declared : { min: 1, max: 1, step: 1 };
}

/**
 * Settings fit for the data's kind of feedback: a method that knows both is told to learn choices where there
 * are no ratings, and one that predicts ratings is refused before anything is charged.
 */
export function settingsForFeedback(
  method: Method,
  scale: RatingScale,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  if (scale.min < scale.max) return { ...given };
  if (!method.feedback.includes('implicit'))
    throw new OptionError(
      `${method.id} predicts ratings, and this data has none: every pair counts 1. \`hushrec methods\` lists others; hush, dpals, ials and dpimf learn from choices.`,
    );
  return method.settings['feedback'] === undefined || 'feedback' in given
    ? { ...given }
    : { ...given, feedback: 'implicit' };
}
