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

  // n guesses that are each right with probability p at most are right in more than p + t of them with
  // probability exp(−2nt²) at most (Hoeffding): 1e-6 at t = 0.34 for 60.
  it.each(guessGames)('is never won more often than the promise allows: ε = $epsilon', (game) => {
    expect(attackersScore(game)).toBeLessThanOrEqual(mostRight(game) + 0.34);
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
