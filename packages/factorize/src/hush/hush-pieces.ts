/** Pieces of the method, for experiments that leave one out; all are in use. */
export interface HushPieces {
  readonly mean: boolean;
  readonly levelLeftIn: boolean;
  readonly constantDirection: boolean;
  readonly keptDirections: boolean;
  readonly earlierRounds: boolean;
  readonly effectsTwice: boolean;
  /**
   * Of choices: in the last round people speak of an item as if they had not chosen it, where they choose
   * little.
   */
  readonly leftOut: boolean;
  /** Of choices: what rounds say of counts is put together with them, where they needed more. */
  readonly countsFromRounds: boolean;
}
export const allPieces: HushPieces = {
  mean: true,
  levelLeftIn: true,
  constantDirection: true,
  keptDirections: true,
  earlierRounds: true,
  effectsTwice: true,
  leftOut: true,
  countsFromRounds: true,
};
