/**
 * Numbers of the rules of `hush` that were found on data; `hush/left-out` varies each of them and leaves one
 * real set out at a time. They decide by released figures alone and change no sensitivity.
 */
export interface HushRules {
  /**
   * Ratings: vectors must be expected to explain so many times what effects explain with all of the budget.
   */
  readonly leastGain: number;
  /**
   * And S·n̄ must be this large: with few ratings each, or faint items, rounds do not find the directions
   * that V counts on (`divideBudget`).
   */
  readonly leastTold: number;
  /**
   * Choices a person (n̄) from which on tastes say enough: with fewer, popularity says more, and a taste is
   * mostly the echo of what it was found from (`divideForChoices`).
   */
  readonly enoughChoices: number;
  /**
   * The twenty most chosen items should be so many times what the noise on counts would put there by itself;
   * where the first look at counts has less, they get more of the budget (`divideForChoices`).
   */
  readonly plainHead: number;
  /**
   * Choices: (N̂·μ over this)^0.7 directions can be told from noise, among more than 4,000 items fewer
   * (`divideForChoices`).
   */
  readonly strengthPerDirection: number;
  /**
   * The share of people who choose what is typically chosen counts up to so many times the mean share
   * (`weightOfAll`).
   */
  readonly steepest: number;
  /**
   * What was not chosen weighs at most so much for each of n̄ choices: few choices among few things say
   * little about the others (`weightOfAll`).
   */
  readonly mostUnchosen: number;
  /**
   * In use the ridge of someone with n choices is so many times √n of what it is while vectors are learned:
   * enough where people choose little and popularity is nearly everything, and more where they choose much.
   */
  readonly ridgeInUse: number;
  /**
   * With more directions than these it is more where histories are long for the catalogue (`doubtOfTastes`).
   */
  readonly certainDirections: number;
  /**
   * Ratings: how far what public facts say of items counts while rounds follow, where released vectors are
   * faint (`plainStrength`); 0 not before the last round, 1 as in the last.
   */
  readonly earlyFacts: number;
}

/** Those in use. */
export const hushRules: HushRules = {
  leastGain: 1.07,
  leastTold: 75_000,
  enoughChoices: 40,
  plainHead: 2.5,
  strengthPerDirection: 100,
  steepest: 10,
  mostUnchosen: 0.01,
  ridgeInUse: 1.4,
  certainDirections: 16,
  earlyFacts: 0.5,
};
