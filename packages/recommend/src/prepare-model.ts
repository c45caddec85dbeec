import type { ItemModel } from '@hushrec/model';

/**
 * Gets ready what recommending from this model needs. Here all of it is part of the package; the client's
 * bundle puts something in place of this that loads what few models need, losses, lists of neighbours,
 * averages, features of people, from a file of their own (`tools/client-bundle.mjs`).
 */
export async function prepareModel(_model: ItemModel): Promise<void> {}
