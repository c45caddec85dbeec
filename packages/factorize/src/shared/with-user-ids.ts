import type { ItemModel } from '@hushrec/model';

/** The ids given are not those of the people whose vectors the model holds. */
export class UserIdsMismatchError extends RangeError {
  override readonly name = 'UserIdsMismatchError';
  readonly kind = 'data';
  constructor() {
    super(
      'The list of user ids and the published user vectors differ in length. Give the ids of the users trained on, in their order.',
    );
  }
}

/**
 * The model with the data set's own ids in place of row numbers, for methods that publish user vectors or
 * user averages under their own guarantee; any other model as it is. `userIds[row]` is the user of row `row`
 * of the training data. Which people are in the data set is public for every such method (rating-level
 * units).
 *
 * @throws UserIdsMismatchError when there are more or fewer ids than published users.
 */
export function withUserIds<Model extends ItemModel>(model: Model, userIds: readonly string[]): Model {
  if (model.kind === 'neighbours' || model.users === undefined) return model;
  if (model.users.ids.length !== userIds.length) throw new UserIdsMismatchError();
  return { ...model, users: { ...model.users, ids: userIds } };
}
