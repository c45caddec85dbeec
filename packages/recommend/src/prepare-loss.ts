import type { ItemModel } from '@hushrec/model';

/**
 * Gets ready what fitting a person under the model's loss needs. Here it is part of the package already; the
 * client's bundle puts this in place of it and loads a file of its own, which few models need
 * (`apps/page/bundle.mjs`).
 */
export async function prepareLoss(_model: ItemModel): Promise<void> {}
