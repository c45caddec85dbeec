import { type LineCoins, type PeopleCoins, PeopleNames, peopleCoins, RunSecret } from '@hushrec/privacy';
import type { Person } from './neighbours.js';

/** Coins of these people from a seed, named by their names: whoever is left out moves nobody's coins. */
export function coinsOf(people: readonly Person[], seed: number): PeopleCoins {
  return peopleCoins(
    new RunSecret({ seed }),
    people.map(({ name }) => name),
  );
}

/** The same for one occurrence of one release, to be tossed. */
export function lineCoinsOf(
  people: readonly Person[],
  seed: number,
  label: string,
  occurrence: number,
): LineCoins {
  const { ids, line } = coinsOf(people, seed);
  return new PeopleNames(people.length, ids).coins(line(label, occurrence));
}
