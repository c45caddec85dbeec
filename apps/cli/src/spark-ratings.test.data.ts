import { generateCatalogue, implicitScale, type RatingMatrix } from '@hushrec/ratings';

/** Grades in sixteenths, so that a rating can be told from every other number. */
export const scale = { min: 0, max: 5, step: 0.0625 };
export const canaryRating = 2.8125;
export const canary = 'canary-7f3a91';
export const catalogue = generateCatalogue({ users: 300, items: 40, ratings: 5000, seed: 2 });
export const personIds = Array.from({ length: 300 }, (_, person) => (person === 7 ? canary : `p${person}`));
const { byUser } = catalogue.ratings;
const ofCanary = (at: number) => at >= byUser.offsets[7] && at < byUser.offsets[8];
export const explicit: RatingMatrix = {
  ...catalogue.ratings,
  scale,
  byUser: { ...byUser, values: byUser.values.map((value, at) => (ofCanary(at) ? canaryRating : value)) },
};
export const implicit: RatingMatrix = {
  ...explicit,
  scale: implicitScale,
  byUser: { ...byUser, values: byUser.values.map(() => 1) },
};
export const itemIds = Array.from({ length: explicit.itemCount }, (_, item) => `item\t${item}`);

/** Rows of the data as text, everyone but those left out. */
export function rowsWithout(leftOut?: string): string {
  const lines: string[] = [];
  personIds.forEach((id, user) => {
    if (id === leftOut) return;
    for (let at = explicit.byUser.offsets[user]; at < explicit.byUser.offsets[user + 1]; at++)
      lines.push(`${id},"${itemIds[explicit.byUser.indices[at]]}",${explicit.byUser.values[at]}`);
  });
  return `${lines.join('\n')}\n`;
}

/** An item that a person has not rated. */
export function notRatedBy(person: number): number {
  const { offsets, indices } = explicit.byUser;
  const own = indices.subarray(offsets[person], offsets[person + 1]);
  return itemIds.findIndex((_, item) => !own.includes(item));
}
