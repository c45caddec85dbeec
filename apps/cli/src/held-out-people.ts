import type { ItemModel } from '@hushrec/model';

/**
 * The model as people see it who were not in the training data: without the vectors that some rating-level
 * methods publish for those who were. Their own devices fold their histories in, as `hushrec recommend` does.
 */
export function withoutPublishedPeople(model: ItemModel): ItemModel {
  if (model.kind === 'neighbours') return model;
  const { users: _, ...rest } = model;
  return rest;
}
