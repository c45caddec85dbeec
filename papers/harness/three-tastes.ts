import { type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { GeneratedRows } from './generated-rows.js';

const [people, items, each, tastes] = [3000, 300, 20, 3];
/** In half-widths of the scale: what people like of their own kind, of other kinds, and chance. */
const [own, other, chance] = [0.45, -0.225, 0.41];

/**
 * 3,000 people and 300 items in three kinds; everybody likes one kind. Items are rated alike often and are on
 * average alike, and so are people: item effects explain nothing, and three tastes explain all that can be
 * explained. O(ratings).
 */
export function generateThreeTastes(seed = 31): RatingMatrix {
  const random = new SeededRandom(seed);
  const rows = new GeneratedRows({ people, items, mean: 0.625, scale: { min: 1, max: 5, step: 1 } });
  for (let person = 0; person < people; person++) {
    const liked = random.below(tastes);
    const picked = new Set<number>();
    while (picked.size < each) picked.add(random.below(items));
    for (const item of picked)
      rows.add(person, item, (item % tastes === liked ? own : other) + chance * random.normal());
  }
  return rows.matrix();
}
