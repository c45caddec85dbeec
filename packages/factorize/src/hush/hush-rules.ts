import { type ChoiceRules, choiceRules } from './choice-rules.js';
import { type RatingRules, ratingRules } from './rating-rules.js';

/** Numbers of rounds, whatever is learned in them; found on data, and varied by `hush/numbers`, too. */
export interface RoundRules {
  /** Share of μ² for the number of people, which is then off by 22/μ with 0.002. */
  readonly peopleShare: number;
  /** Each round gets so many times the budget (μ²) of the one before. */
  readonly roundGrowth: number;
  /** Rounds of ratings, and the most of any run. */
  readonly mostRounds: number;
  /** More directions take longer than they bring, whatever was released. */
  readonly mostDirections: number;
  /**
   * The noise of earlier rounds went into the tastes of this one too, so the past knows less than its
   * variance says: by this factor.
   */
  readonly distrust: number;
}

/** Numbers of what is made of public facts about items; found and varied as the others. */
export interface FactRules {
  /** A token on fewer items teaches nothing about others. */
  readonly leastItems: number;
  /** The most frequent tokens that are used. */
  readonly mostTokens: number;
  /**
   * Ratings: the same while rounds follow. More cost the cube of their number in every round and bring
   * nothing there.
   */
  readonly earlyTokens: number;
  /**
   * Ratings: how far what facts say of items counts while rounds follow; 0 not before the last round, 1 as
   * in the last.
   */
  readonly earlyFacts: number;
}

/** The numbers of `hush` that were found on data. */
export interface HushRules extends RatingRules, ChoiceRules, RoundRules, FactRules {}

/** Those in use. */
export const hushRules: HushRules = {
  ...ratingRules,
  ...choiceRules,
  peopleShare: 0.002,
  roundGrowth: 1.5,
  mostRounds: 8,
  mostDirections: 64,
  distrust: 3,
  leastItems: 5,
  mostTokens: 250,
  earlyTokens: 100,
  earlyFacts: 0.5,
};
