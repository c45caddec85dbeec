import {
  AliasTable,
  implicitScale,
  type RatingMatrix,
  ratingMatrixFromTriples,
  SeededRandom,
} from '@hushrec/ratings';

/** Size and seed of generated visits. */
export interface VisitsRecipe {
  readonly people: number;
  readonly places: number;
  readonly towns: number;
  readonly seed: number;
}

const kinds = 6;
/** Shares of visits at home and in a second town; the rest is anywhere. */
const atHome = 0.8;
const inSecond = 0.15;
/** ln of the number of visits of a person: mean and standard deviation. */
const activity = { mean: 3, deviation: 0.7, least: 6 } as const;

/**
 * Visits to places as check-in services record them: sparse choices among many items, of which everyone can
 * reach few. Towns have sizes ½, ⅓, ¼ …, popularity within a town falls with rank^−0.8, people go out mostly
 * where they live and prefer some of six kinds of places. A person has about 26 visits, at least six unless
 * her towns have hardly more places. O(visits + places).
 */
export function generateVisits({ people, places, towns, seed }: VisitsRecipe): RatingMatrix {
  const random = new SeededRandom(seed);
  const townSizes = new AliasTable(Float64Array.from({ length: towns }, (_, town) => 1 / (town + 2)));
  const drawTown = () => townSizes.draw(random);
  const inTown = Array.from({ length: towns }, () => [] as number[]);
  const kindOf = new Uint8Array(places);
  for (let place = 0; place < places; place++) {
    inTown[drawTown()].push(place);
    kindOf[place] = random.below(kinds);
  }
  const popularity = inTown.map((own) => new AliasTable(own.map((_, rank) => (rank + 3) ** -0.8)));
  const users: number[] = [];
  const items: number[] = [];
  for (let person = 0; person < people; person++) {
    const [home, second] = [drawTown(), drawTown()];
    const liking = Float64Array.from({ length: kinds }, () => Math.exp(random.normal()));
    const wanted = Math.round(Math.exp(activity.mean + activity.deviation * random.normal()));
    const visited = new Set<number>();
    const count = Math.max(activity.least, wanted);
    for (let tries = 0; visited.size < count && tries < 20 * count; tries++) {
      const where = random.uniform();
      const town = where < atHome ? home : where < atHome + inSecond ? second : drawTown();
      if (inTown[town].length === 0) continue;
      const place = inTown[town][popularity[town].draw(random)];
      const liked = liking[kindOf[place]];
      if (random.uniform() < liked / (1 + liked)) visited.add(place);
    }
    for (const place of visited) {
      users.push(person);
      items.push(place);
    }
  }
  return ratingMatrixFromTriples({
    userCount: people,
    itemCount: places,
    scale: implicitScale,
    users,
    items,
    ratings: new Float32Array(users.length).fill(1),
  });
}
