import { type RatingMatrix, ratingMatrixFromTriples, SeededRandom } from '@hushrec/ratings';

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
 * Visits to places as check-in services record them: sparse choices among many items, of which everyone can reach few. Towns have sizes
 * 1, ½, ⅓ …, popularity within a town falls with rank^−0.8, people go out mostly where they live and prefer some of six kinds of places.
 * A person has about 26 visits, at least six unless her towns have hardly more places. O(visits · log places).
 */
export function generateVisits({ people, places, towns, seed }: VisitsRecipe): RatingMatrix {
  const random = new SeededRandom(seed);
  const townSizes = runningSums(towns, (town) => 1 / (town + 2));
  const drawTown = () => draw(townSizes, random);
  const inTown = Array.from({ length: towns }, () => [] as number[]);
  const kindOf = new Uint8Array(places);
  for (let place = 0; place < places; place++) {
    inTown[drawTown()]!.push(place);
    kindOf[place] = random.below(kinds);
  }
  const popularity = inTown.map((own) => runningSums(own.length, (rank) => (rank + 3) ** -0.8));
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
      if (inTown[town]!.length === 0) continue;
      const place = inTown[town]![draw(popularity[town]!, random)]!;
      const liked = liking[kindOf[place]!]!;
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
    scale: { min: 1, max: 1, step: 1 },
    users,
    items,
    ratings: new Float32Array(users.length).fill(1),
  });
}

/** w_0, w_0 + w_1, … */
function runningSums(count: number, weight: (index: number) => number): Float64Array {
  const sums = new Float64Array(count);
  for (let k = 0; k < count; k++) sums[k] = (k > 0 ? sums[k - 1]! : 0) + weight(k);
  return sums;
}

/** k with probability in proportion to its weight. O(log n). */
function draw(sums: Float64Array, random: SeededRandom): number {
  const at = random.uniform() * sums[sums.length - 1]!;
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
