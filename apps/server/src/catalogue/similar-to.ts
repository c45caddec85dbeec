import { buffer } from 'node:stream/consumers';
import { decodePublished } from '@hushrec/model';
import {
  type RecommendableModel,
  recommendable,
  type SimilarItems,
  type SimilarOptions,
  similarItems,
} from '@hushrec/recommend';
import type { ModelEntry } from './model-catalogue.js';

/** Models that were asked: kept as long as their entries are. */
const opened = new WeakMap<ModelEntry, Promise<RecommendableModel>>();

/**
 * Items like one item of a model, from the bytes that were checked and are served: a folder that is replaced
 * meanwhile does not answer in its place.
 *
 * @throws UnknownItemError, NoLikenessError
 */
export async function similarTo(
  entry: ModelEntry,
  item: string,
  options: SimilarOptions,
): Promise<SimilarItems> {
  let model = opened.get(entry);
  if (model === undefined) {
    model = open(entry);
    opened.set(entry, model);
    model.catch(() => opened.delete(entry));
  }
  return similarItems(await model, item, options);
}

async function open({ files }: ModelEntry): Promise<RecommendableModel> {
  const contents = new Map<string, Uint8Array>();
  for (const [name, { content, size }] of files)
    contents.set(name, content instanceof Uint8Array ? content : await buffer(content.stream(0, size - 1)));
  return recommendable(await decodePublished(contents));
}
