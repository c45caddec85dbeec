import { type PeopleCoins, peopleCoins, RunSecret } from '@hushrec/privacy';
import type { Person } from './neighbours.js';

/** Coins of these people from a seed, named by their names: whoever is left out moves nobody's coins. */
export function coinsOf(people: readonly Person[], seed: number): PeopleCoins {
  return peopleCoins(
    new RunSecret({ seed }),
    people.length,
    people.map(({ name }) => name),
  );
}
