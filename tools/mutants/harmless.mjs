/** Faults that no test needs to notice, by their names, and why. */
export const harmless = new Map([
  [
    'curvatures are not bounded',
    'Both bounds hold without it: slopes are clipped again by `clipTargets`, and the ratio of curvatures is capped at 1. The common shrinkage keeps the direction of a clipped example.',
  ],
  [
    'comparison turned in packages/ledger/src/postgres-store.ts: if (now.number !== head.number || now.hash !== head.hash) return false;',
    'An entry that was decided without holding the ledger is then never appended; after three tries it is decided again with the ledger held (`ledger-decisions.ts`): the same entry, later.',
  ],
  [
    'constant moved in packages/privacy/src/accounting/random-stopping.ts: for (let exponent = -3; exponent <= 4; exponent += 0.001) {',
    'The theorem holds at every order λ̂ > 1, so a minimum over more of them is a bound too.',
  ],
  [
    'changed files verify',
    'Another check of the same verification notices: `decodePublished` compares every file with its hash before it is read.',
  ],
]);
