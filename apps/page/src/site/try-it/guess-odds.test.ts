import { describe, expect, it } from 'vitest';
import { attackersBelief, attackersScore, guessGames, mostRight } from './guess-odds.js';

describe('the guessing game', () => {
  it('has a model with Alex for every one without', () => {
    for (const { rounds } of guessGames) {
      expect(rounds.length).toBeGreaterThanOrEqual(60);
      expect(rounds.filter(({ isIn }) => isIn).length).toBe(rounds.length / 2);
      for (const { list } of rounds) expect(list.every((title) => typeof title === 'string')).toBe(true);
    }
  });

  // The share of n right guesses is off its expectation by more than t with probability 2 exp(−2nt²) at most
  // (Hoeffding): 4e-7 at t = 0.36 for 60.
  it.each(guessGames)('is won as often as the hint is sure, and the promise allows: ε = $epsilon', (game) => {
    const expected = attackersScore(game);
    expect(expected).toBeGreaterThan(0.5);
    expect(expected).toBeLessThanOrEqual(mostRight(game));
    const right = game.rounds.filter(({ isIn, hint }) => hint > 0 === isIn).length;
    expect(Math.abs(right / game.rounds.length - expected)).toBeLessThan(0.36);
  });

  it('is easier with less privacy', () => {
    const [strong, weak] = guessGames;
    expect(strong.epsilon).toBeLessThan(weak.epsilon);
    expect(attackersScore(weak)).toBeGreaterThan(attackersScore(strong) + 0.1);
    const spread = ({ rounds }: (typeof guessGames)[number]) =>
      rounds.reduce((sum, { hint }) => sum + Math.abs(hint), 0) / rounds.length;
    expect(spread(weak)).toBeGreaterThan(3 * spread(strong));
  });

  it('turns a ratio of likelihoods into a belief', () => {
    expect(attackersBelief({ hint: 0 })).toBe(0.5);
    expect(attackersBelief({ hint: Math.log(3) })).toBeCloseTo(0.75, 12);
  });
});
