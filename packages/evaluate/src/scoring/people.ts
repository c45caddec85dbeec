import { foldInUsers } from '@hushrec/factorize';
import type { FactorModel, ItemModel } from '@hushrec/model';
import { type Csr, type Engine, type Side, zeroFactors } from '@hushrec/numerics';
import { foldIn, type IndexedHistory } from '@hushrec/recommend';

/** A model that publishes user vectors was evaluated on other people than it was trained on. */
export class PublishedUsersError extends RangeError {
  override readonly name = 'PublishedUsersError';
  readonly kind = 'usage';
  constructor() {
    super(
      'The model publishes vectors for its own users, and the data set has another number of users. Evaluate it on the data set it was trained on.',
    );
  }
}

/**
 * Every person's side of a factor model: the published vectors where the method releases them (they are what
 * its users get), else the fold-in of each person's history.
 */
export async function peopleOf(engine: Engine, model: FactorModel, history: Csr): Promise<Side> {
  if (model.loss !== undefined || model.personFeatures !== undefined) return foldInEach(model, history);
  if (model.users === undefined) return foldInUsers(engine, model, history);
  checkPublished(model, history);
  return {
    factors: { rowCount: history.rowCount, width: model.rank, data: model.users.factors },
    ...(model.users.bias && { intercept: model.users.bias }),
  };
}

/**
 * Person by person, by the code of the device: a convex loss is no single linear system for the engine, and
 * what is expected of people is not one it knows. Nobody says anything about themselves here.
 */
function foldInEach(model: FactorModel, history: Csr): Side {
  const factors = zeroFactors(history.rowCount, model.rank);
  const intercept = new Float32Array(history.rowCount);
  for (let user = 0; user < history.rowCount; user++) {
    const own = foldIn(model, historyOf(history, user));
    factors.data.set(own.vector, user * model.rank);
    intercept[user] = own.intercept;
  }
  return { factors, intercept };
}

export function checkPublished(model: ItemModel, history: Csr): void {
  if (
    model.kind !== 'neighbours' &&
    model.users !== undefined &&
    model.users.ids.length !== history.rowCount
  ) {
    throw new PublishedUsersError();
  }
}

/** Row `user` of a rating matrix as the history a device would hold. */
export function historyOf(rows: Csr, user: number): IndexedHistory {
  const begin = rows.offsets[user];
  const end = rows.offsets[user + 1];
  return {
    items: rows.indices.slice(begin, end),
    ratings: Float64Array.from(rows.values.subarray(begin, end)),
  };
}
