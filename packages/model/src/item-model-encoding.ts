import type { BaselineModel, FactorModel, ItemModel, NeighbourModel, PublishedUsers } from './item-model.js';
import type { PersonFeatures } from './person-features.js';
import type { Tensor } from './safetensors.js';

type TensorFieldNames =
  | 'itemFactors'
  | 'itemBias'
  | 'popularity'
  | 'neighbours'
  | 'similarities'
  | 'users'
  | 'personFeatures';
export type Described<Model> = Omit<Model, TensorFieldNames> & {
  readonly userIds?: readonly string[];
} & (Model extends FactorModel ? { readonly personFeatures?: Omit<PersonFeatures, 'factors'> } : unknown);

/** The part of an `ItemModel` that is not tensors: what `model.json` says under `model`. */
export type ItemModelDescription =
  | Described<FactorModel>
  | Described<NeighbourModel>
  | Described<BaselineModel>;

/** A model whose tensors and description do not fit together. */
export class ItemModelError extends Error {
  override readonly name = 'ItemModelError';
  readonly kind = 'data';
}

/** Splits a model into its description and named tensors (snake case, as Python readers expect). */
export function encodeItemModel(
  model: ItemModel,
  itemCount: number,
): { readonly description: ItemModelDescription; readonly tensors: Record<string, Tensor> } {
  const tensors: Record<string, Tensor> = {};
  const put = (name: string, shape: readonly number[], data: Tensor['data'] | undefined) => {
    if (data !== undefined) tensors[name] = { shape, data };
  };
  put('item_bias', [itemCount], model.itemBias);
  let description: ItemModelDescription;
  switch (model.kind) {
    case 'factors': {
      const { itemFactors, itemBias: _bias, popularity, users, personFeatures, ...plain } = model;
      let rest: Described<FactorModel> = plain;
      if (personFeatures !== undefined) {
        const { factors, ...declared } = personFeatures;
        put('person_features', [declared.names.length + 1, model.rank], factors);
        rest = { ...plain, personFeatures: declared };
      }
      put('item_factors', [itemCount, model.rank], itemFactors);
      put('popularity', [itemCount], popularity);
      putUsers(users, model.rank, put);
      description = users === undefined ? rest : { ...rest, userIds: users.ids };
      break;
    }
    case 'neighbours': {
      const { neighbours, similarities, itemBias: _bias, popularity, ...rest } = model;
      put('neighbours', [itemCount, model.k], neighbours);
      put('similarities', [itemCount, model.k], similarities);
      put('popularity', [itemCount], popularity);
      description = rest;
      break;
    }
    case 'baseline': {
      const { itemBias: _bias, users, ...rest } = model;
      putUsers(users, 0, put);
      description = users === undefined ? rest : { ...rest, userIds: users.ids };
      break;
    }
    default:
      return model satisfies never;
  }
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const expected = shape.reduce((product, size) => product * size, 1);
    if (data.length !== expected) {
      throw new ItemModelError(`${name} has ${data.length} values; ${shape.join(' × ')} expected.`);
    }
  }
  return { description, tensors };
}

/** The inverse of `encodeItemModel`; refuses missing, surplus and ill-shaped tensors. */
export function decodeItemModel(
  description: ItemModelDescription,
  tensors: Readonly<Record<string, Tensor>>,
  itemCount: number,
): ItemModel {
  const unread = new Set(Object.keys(tensors));
  const model = decodeKind(description, takenFrom(tensors, unread), itemCount);
  if (unread.size > 0) throw new ItemModelError(`Unexpected tensors: ${[...unread].join(', ')}.`);
  return model;
}

type TypeOf<Data> = new (length: number) => Data;

/** Takes tensors by name, and strikes them off the list of those that nobody asked for. */
function takenFrom(tensors: Readonly<Record<string, Tensor>>, unread: Set<string>) {
  const optional = <Data extends Tensor['data']>(
    name: string,
    shape: readonly number[],
    type: TypeOf<Data>,
  ): Data | undefined => {
    unread.delete(name);
    const tensor = tensors[name];
    if (tensor === undefined) return undefined;
    if (!(tensor.data instanceof type) || tensor.shape.join() !== shape.join()) {
      throw new ItemModelError(`${name} has shape [${tensor.shape}]; ${type.name} [${shape}] expected.`);
    }
    return tensor.data;
  };
  const required = <Data extends Tensor['data']>(
    name: string,
    shape: readonly number[],
    type: TypeOf<Data>,
  ): Data => {
    const data = optional(name, shape, type);
    if (data === undefined) throw new ItemModelError(`The tensor ${name} is missing.`);
    return data;
  };
  return { optional, required };
}

type Tensors = ReturnType<typeof takenFrom>;

function decodeKind(
  description: ItemModelDescription,
  { optional, required }: Tensors,
  itemCount: number,
): ItemModel {
  const users = (ids: readonly string[] | undefined, rank: number): PublishedUsers | undefined =>
    ids && {
      ids,
      factors: required('user_factors', [ids.length, rank], Float32Array),
      ...present<Pick<PublishedUsers, 'bias'>>({ bias: optional('user_bias', [ids.length], Float32Array) }),
    };
  switch (description.kind) {
    case 'factors': {
      const { userIds, personFeatures, ...rest } = description;
      return present<FactorModel>({
        ...rest,
        personFeatures: personFeatures && {
          ...personFeatures,
          factors: required('person_features', [personFeatures.names.length + 1, rest.rank], Float32Array),
        },
        itemFactors: required('item_factors', [itemCount, rest.rank], Float32Array),
        itemBias: optional('item_bias', [itemCount], Float32Array),
        popularity: optional('popularity', [itemCount], Float32Array),
        users: users(userIds, rest.rank),
      });
    }
    case 'neighbours': {
      const { userIds: _none, ...rest } = description;
      return present<NeighbourModel>({
        ...rest,
        neighbours: required('neighbours', [itemCount, rest.k], Int32Array),
        similarities: required('similarities', [itemCount, rest.k], Float32Array),
        itemBias: optional('item_bias', [itemCount], Float32Array),
        popularity: optional('popularity', [itemCount], Float32Array),
      });
    }
    case 'baseline': {
      const { userIds, ...rest } = description;
      return present<BaselineModel>({
        ...rest,
        itemBias: required('item_bias', [itemCount], Float32Array),
        users: users(userIds, 0),
      });
    }
    default:
      throw new ItemModelError(
        `Unknown kind of model "${(description as { kind: string }).kind}"; factors, neighbours or baseline expected.`,
      );
  }
}

/** Drops fields that are `undefined`, which exact optional properties do not allow. */
function present<Model>(fields: { [Key in keyof Model]: Model[Key] | undefined }): Model {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Model;
}

function putUsers(
  users: PublishedUsers | undefined,
  rank: number,
  put: (name: string, shape: readonly number[], data: Tensor['data'] | undefined) => void,
): void {
  if (users === undefined) return;
  put('user_factors', [users.ids.length, rank], users.factors);
  put('user_bias', [users.ids.length], users.bias);
}
