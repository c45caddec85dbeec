import { gaussianEpsilon, muFor } from '@hushrec/privacy';

/** What an account has spent, and what it may: all at one δ. */
export interface Account {
  readonly spent: number;
  readonly granted: number | null;
  readonly delta: number;
}

/** ε of the account after so many more runs of `epsilon` each, by Gaussian composition: μ² adds up. */
export function spentAfter({ spent, delta }: Account, epsilon: number, runs: number): number {
  if (runs === 0) return spent;
  const before = spent === 0 ? 0 : muFor(spent, delta);
  return gaussianEpsilon(Math.sqrt(before ** 2 + runs * muFor(epsilon, delta) ** 2), delta);
}

/** How many of at most `most` runs of `epsilon` each the grant allows; all where there is none. */
export function runsThatFit(account: Account, epsilon: number, most: number): number {
  if (account.granted === null) return most;
  let fit = 0;
  while (fit < most && spentAfter(account, epsilon, fit + 1) <= account.granted) fit++;
  return fit;
}

/**
 * The largest ε of one run that the grant allows, at the run's own δ, rounded down to two digits; 0 where
 * none does.
 */
export function largestThatFits({ spent, granted, delta }: Account, ownDelta = delta): number {
  if (granted === null) return Infinity;
  if (!(granted > spent)) return 0;
  const before = spent === 0 ? 0 : muFor(spent, delta);
  const left = gaussianEpsilon(Math.sqrt(muFor(granted, delta) ** 2 - before ** 2), ownDelta);
  const unit = 10 ** (Math.floor(Math.log10(left)) - 1);
  const rounded = Math.floor(left / unit + 1e-6) * unit;
  return Number(rounded.toPrecision(2));
}
