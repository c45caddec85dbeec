import { cataloguePictures } from './catalogue-pictures.js';
import type { LoadedModel } from './model-library.js';

/** What a catalogue says of its titles; all of it is in this tab. */
export interface Catalogue {
  readonly titles: ReadonlyMap<string, string>;
  titleOf(id: string): string;
  /** Address within this tab; undefined where there is no picture. */
  pictureOf(id: string): string | undefined;
}

export async function catalogueOf(model: LoadedModel): Promise<Catalogue> {
  const { itemIds, titles: given } = model.published.manifest;
  const titles = new Map(itemIds.map((id, index) => [id, given?.[index] || id]));
  return {
    titles,
    titleOf: (id) => titles.get(id) ?? id,
    pictureOf: await cataloguePictures(model),
  };
}
