import type { PublicShape } from '../method.js';

/** What `suggestHush` takes from public figures; everything else is a fixed default. */
export type SuggestedHush =
  | {
      readonly feedback: 'implicit';
      readonly rank: number;
      readonly rounds: number;
    }
  | {
      readonly feedback: 'explicit';
      readonly rank: number;
      readonly rounds: number;
      readonly effectShare: number;
      readonly vectorBound: number;
      readonly interceptRidge: number;
      readonly varianceFactor: number;
    };

/**
 * Defaults from what is public: with N people declared and the whole budget μ, the signal of an item vector against its
 * noise grows with S = N·μ; more of it carries more directions and more rounds. Where there is little, item effects get
 * more of the budget, people are scaled to a smaller norm, and levels are left to the vectors. See docs/hush.md for how the
 * rule was found.
 */
export function suggestHush(shape: PublicShape, mu: number): SuggestedHush {
  const budget = (shape.declaredPeople ?? 10_000) * Math.min(mu, 50);
  return shape.scale.min === shape.scale.max
    ? suggestForChoices(budget, shape.itemCount)
    : suggestForRatings(budget);
}

/**
 * Choices among many items say less about each: their strength falls with the root of their number. Where it suffices, more items are told apart by
 * more directions.
 */
function suggestForChoices(budget: number, itemCount: number): SuggestedHush {
  const thinness = 4_000 / Math.max(4_000, itemCount);
  const strength = budget * Math.sqrt(thinness);
  return {
    feedback: 'implicit',
    ...rankForChoices(strength, thinness ** -0.7),
  };
}

function rankForChoices(
  strength: number,
  variety: number,
): { readonly rank: number; readonly rounds: number } {
  if (strength < 1_000) return { rank: 4, rounds: 3 };
  if (strength < 3_000) return { rank: 8, rounds: 3 };
  if (strength < 12_000) return { rank: 16, rounds: 3 };
  const most = (rank: number) => Math.min(64, Math.round(rank * variety));
  if (strength < 30_000) return { rank: most(20), rounds: 4 };
  return { rank: most(24), rounds: 6 };
}

function suggestForRatings(strength: number): SuggestedHush {
  const power = (value: number, exponent: number, least: number, most: number) =>
    Number(Math.min(most, Math.max(least, value * (strength / 5_000) ** exponent)).toPrecision(3));
  return {
    feedback: 'explicit',
    ...rankForRatings(strength),
    effectShare: power(0.2, -0.2, 0.15, 0.35),
    vectorBound: power(0.4, 0.15, 0.25, 0.4),
    interceptRidge: power(20, -0.4, 10, 40),
    varianceFactor: power(0.8, 0.02, 0.8, 0.87),
  };
}

function rankForRatings(strength: number): { readonly rank: number; readonly rounds: number } {
  if (strength < 2_500) return { rank: 4, rounds: 4 };
  if (strength < 6_000) return { rank: 5, rounds: 5 };
  if (strength < 12_000) return { rank: 6, rounds: 6 };
  if (strength < 40_000) return { rank: 8, rounds: 6 };
  return { rank: 12, rounds: 8 };
}
