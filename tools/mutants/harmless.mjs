/** Faults that no test needs to notice, by their names, and why. */
export const harmless = new Map([
  [
    'curvatures are not bounded',
    'Both bounds hold without it: slopes are clipped again by `clipTargets`, and the ratio of curvatures is capped at 1. The common shrinkage keeps the direction of a clipped example.',
  ],
  [
    'changed files verify',
    'Another check of the same verification notices: `decodePublished` compares every file with its hash before it is read.',
  ],
]);
