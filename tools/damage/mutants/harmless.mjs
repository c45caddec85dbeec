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
    'constant moved in packages/privacy/src/accounting/compose-losses.ts: const longest = losses.reduce((length, { loss }) => Math.max(length, loss.masses.length), 0);',
    'No loss is without masses, so the longest has at least one.',
  ],
  [
    'constant moved in packages/privacy/src/accounting/tightest.ts: if (gaussianDpAccountant.knows(event) && releases.length > 0)',
    'A single Gaussian release is then asked of every accountant; the exact one has the smallest answer and stays the one that is named.',
  ],
  [
    'constant moved in papers/shared/statistics/item-sum-bounds.ts: const size = Math.max(1, Math.floor(4_000_000 / perItem));',
    'Blocks are cut for memory alone, and one item fills a block only from 2,827 columns on; then two are taken at a time.',
  ],
  [
    'constant moved in packages/federate/src/sharing/sharing-line.ts: return (people * line.sensitivity) / step + 10 * noiseOnSum * effective + 2;',
    'Room for eleven standard deviations in place of ten: sums still fit their words, which at most become one size larger.',
  ],
  [
    'constant moved in packages/model/src/usefulness/spread-of-counts.ts: else bins[Math.max(0, Math.min(bins.length - 1, Math.floor((x - lowest) / step)))]++;',
    'The first bin holds counts of which the noise alone is below −5.875 standard deviations: a chance of 2·10⁻⁹, and the same grid point 0 explains the second bin best.',
  ],
  [
    'constant moved in papers/dpals/statistics/covariance.ts: const { own, state } = startFrankWolfe(byUser, { ...settings, path, steps: 0 });',
    'The start of a path does not look at the number of steps.',
  ],
  [
    'constant moved in packages/ledger/src/equal-runs.ts: if (low === 0) return 0;',
    'Where nothing fits, ε of 0 is 0 and the loop below has nothing to try: it returns 0 as well.',
  ],
  [
    'constant moved in packages/privacy/src/real/gauss-legendre.ts: let derivative = 1;',
    'It is computed before it is used; the first value is there for the type alone.',
  ],
  [
    'constant moved in packages/privacy/src/real/bisect.ts: good *= 1.5;',
    'Only how fast an interval is found that holds the answer; the answer is within the same relative distance of it.',
  ],
  [
    'constant moved in papers/shared/statistics/item-sum-bounds.ts: const perItem = (width * (width + 1)) / 2 + width;',
    'Blocks are cut for memory alone: a little smaller ones give the same sums.',
  ],
  [
    'constant moved in packages/privacy/src/accounting/accountant.ts: let reserve = 2 * distance;',
    'Where the search for a reserve starts: one that pays (1 + e^ε)·η is valid, and all are far below the digits of δ.',
  ],
  [
    'constant moved in packages/federate/src/sharing/sharing-words.ts: #added = 0;',
    'The first reduction comes one addition earlier; sums stay exact.',
  ],
  [
    'constant moved in packages/statistics/src/people/share-task.ts: if (own?.kernel !== kernel) own = { kernel, engine: createEngine({ threads: 1, kernel }) };',
    "A thread's own engine with two threads makes the same sums; threads load the build, not this file.",
  ],
  [
    'constant moved in packages/ledger/src/checkpoint.ts: export const checkpointEvery = 256;',
    'How many entries are read on top of a checkpoint: a matter of time, not of what is decided.',
  ],
  [
    'comparison turned in packages/privacy/src/real/fft.ts: if (i >= j) continue;',
    'Each pair of places is then exchanged at its larger index in place of its smaller one: once, as before.',
  ],
  [
    'constant moved in packages/privacy/src/random/noise-kernel.ts: [TOP, new Uint32Array(buffer, TOP, 8192)],',
    'The view reaches one word into the next table, but a table of 8,192 words is all that is ever written to it.',
  ],
  [
    'constant moved in packages/privacy/src/random/noise-kernel.ts: while (rest > 0 && rest >= width - row) rest -= width - row++;',
    'A rest of 1 passes a row only where that row has one entry: the last one, beyond which no entry of the triangle lies.',
  ],
  [
    'comparison turned in packages/privacy/src/samplers/alias-table.ts: if (weight > weights[largest]) largest = i;',
    'What rounding loses, less than 2⁻¹⁹⁰ in all, goes to another value: the law stays within the distance that is charged for.',
  ],
  [
    'constant moved in packages/privacy/src/accounting/loss-source.ts: return Math.max(epsilon / 50, epsilon / Math.cosh(epsilon / 2));',
    'How finely losses are laid out, from which both bounds follow with rounding in their own direction: a matter of tightness, not of validity.',
  ],
  [
    'constant moved in packages/privacy/src/mechanisms/grid-gaussian.ts: export const LEAST_GRID_SIGMA = 1024;',
    'Noise of 1,024 to 1,025 steps is drawn on a grid of half the step: finer than is needed.',
  ],
  [
    'constant moved in packages/model/src/usefulness/spread-of-counts.ts: return bin === 0 ? cdf(low + step) : Math.max(1e-300, cdf(low + step) - cdf(low));',
    'Two bins below −5.75 standard deviations of the noise, which hold a count with a chance of 5·10⁻⁹; grid point 0 explains either best.',
  ],
  [
    'statement removed in packages/privacy/src/random/noise-kernel.ts: this.#key.fill(0, 8);',
    'The words of the nonce are zero in fresh memory, a key has eight words, and the kernel writes to its output and its list of ties alone.',
  ],
  [
    'changed files verify',
    'Another check of the same verification notices: `decodePublished` compares every file with its hash before it is read.',
  ],
]);
