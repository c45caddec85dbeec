import { posteriorOf } from '@hushrec/model/words';
import given from './guess-rounds.json' with { type: 'json' };

/**
 * One model of the sample: whether Alex was in it, what the best attacker says, and what it lists for Alex.
 */
export interface GuessRound {
  readonly isIn: boolean;
  /** ln of how much likelier its releases are with Alex than without. */
  readonly hint: number;
  readonly list: readonly string[];
}

/** All rounds at one ε. */
export interface GuessGame {
  readonly epsilon: number;
  readonly delta: number;
  readonly rounds: readonly GuessRound[];
}

export const guessPeople = given.people;
export const alexLikes: readonly string[] = given.likes;

export const guessGames: readonly GuessGame[] = given.games.map(({ epsilon, delta, rounds }) => ({
  epsilon,
  delta,
  rounds: rounds.split(' ').map((round) => {
    const [isIn, hint, ...list] = round.split(',').map(Number);
    return { isIn: isIn === 1, hint, list: list.map((title) => given.titles[title]) };
  }),
}));

/** How sure the attacker is that Alex was in it, who was sure by half: the logistic function of the ratio. */
export function attackersBelief({ hint }: Pick<GuessRound, 'hint'>): number {
  return 1 / (1 + Math.exp(-hint));
}

/** The most guesses of 100 that anyone can have right, in the long run: (e^ε + δ)/(1 + e^ε). */
export function mostRight({ epsilon, delta }: Pick<GuessGame, 'epsilon' | 'delta'>): number {
  return Math.min(1, posteriorOf(0.5, epsilon) + delta);
}

/**
 * How often you are right in the long run if you follow the hint: as often as it is sure of what it says. The
 * mean over the rounds has less chance in it than a count of those that were right.
 */
export function attackersScore({ rounds }: Pick<GuessGame, 'rounds'>): number {
  const sure = rounds.map(attackersBelief).map((belief) => Math.max(belief, 1 - belief));
  return sure.reduce((sum, each) => sum + each, 0) / rounds.length;
}
