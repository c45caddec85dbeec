/**
 * Numbers of `hush` on choices that were found on data. They shape plans and what is made of released
 * figures; no sensitivity follows from them. `hush/numbers` varies each of them.
 */
export interface ChoiceRules {
  /** Share of μ² for the first look at counts, and the least that counts have in all. */
  readonly countsAtLeast: number;
  /**
   * Where people are so few for the budget that counts would need this share or more, they get all, and there
   * are no vectors: these would find less with the rest than counts lose. The second where the head stands
   * out of the noise as it should (`plainHead`): popularity is known then, and loses little.
   */
  readonly countsAlone: number;
  readonly countsAlonePlain: number;
  /**
   * Where counts get all, people spend their weight on what may be in the head (`weightsForHead`): items
   * whose first count is not more than so many standard deviations below the one that so many items reach;
   * and on others this part of it.
   */
  readonly candidates: number;
  readonly candidateDoubt: number;
  readonly restWeight: number;
  /** N̂·μ below which counts get more than their least, where people choose enough. */
  readonly plentyForCounts: number;
  /**
   * Choices a person (n̄) from which on tastes say enough: with fewer, popularity says more.
   */
  readonly enoughChoices: number;
  /** Choices a person below which a taste is mostly the echo of what it was found from. */
  readonly echoBelow: number;
  /**
   * As many of the most chosen items are its head, with which recommendations that know nothing else begin.
   */
  readonly headItems: number;
  /**
   * The head should be so many times what the noise on counts would put there by itself;
   * where the first look at counts has less, they get more of the budget.
   */
  readonly plainHead: number;

  /** Items beyond which choices among them say less about each. */
  readonly manyItems: number;
  /** (N̂·μ over the first)^the second are the directions that can be told from noise. */
  readonly strengthPerDirection: number;
  readonly directionExponent: number;
  /** Power of `manyItems` over the number of items with which these are fewer. */
  readonly manyItemsExponent: number;
  /** S″ below which there are four directions, and eight. */
  readonly fourBelow: number;
  readonly eightBelow: number;
  /** This many directions are few enough for any catalogue; beyond, so many items for each. */
  readonly fewDirections: number;
  readonly itemsPerDirection: number;
  /** Choices of all people together for each direction. */
  readonly choicesPerDirection: number;

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
  /** Count over noise from which on what is typically chosen is told from noise (`weightOfAll`). */
  readonly plainSignal: number;
  /** Power of what is missing of it with which α₀ grows. */
  readonly caution: number;

  /** Rounds of releases. */
  readonly choiceRounds: number;
  /** Released counts are floored at this part of their noise, so that no item has a negative share. */
  readonly countFloor: number;
  /** Standard deviations of its noise below which a count is faint, and the weight of such items. */
  readonly faintBelow: number;
  readonly faintWeight: number;
  /** Standard deviations of its noise from which on the length of tastes is read off a released moment. */
  readonly plainTrace: number;
  /** Standard deviation of the random first item vectors: the first tastes are random projections. */
  readonly firstItems: number;
  /** Standard errors that are taken off what a direction seems to explain in the last round. */
  readonly doubt: number;
  /**
   * In use the ridge of someone with n choices is so many times √n of what it is while vectors are learned:
   * enough where people choose little and popularity is nearly everything, and more where they choose much.
   */
  readonly ridgeInUse: number;
  /**
   * With more directions than these it is more where histories are long for the catalogue (`doubtOfTastes`).
   */
  readonly certainDirections: number;
}

/** Those in use. */
export const choiceRules: ChoiceRules = {
  countsAtLeast: 0.1,
  countsAlone: 0.25,
  countsAlonePlain: 0.4,
  candidates: 40,
  candidateDoubt: 3,
  restWeight: 0.1,
  plentyForCounts: 500,
  enoughChoices: 40,
  echoBelow: 10,
  headItems: 20,
  plainHead: 2.5,
  manyItems: 4_000,
  strengthPerDirection: 100,
  directionExponent: 0.7,
  manyItemsExponent: 0.4,
  fourBelow: 700,
  eightBelow: 1_500,
  fewDirections: 12,
  itemsPerDirection: 12,
  choicesPerDirection: 1_600,
  steepest: 10,
  mostUnchosen: 0.01,
  plainSignal: 250,
  caution: 0.7,
  choiceRounds: 5,
  countFloor: 0.3,
  faintBelow: 2,
  faintWeight: 0.2,
  plainTrace: 2,
  firstItems: 0.1,
  doubt: 3,
  ridgeInUse: 1.4,
  certainDirections: 16,
};
