import { decodePublished, fileNames, type PublishedModel } from '@hushrec/model';
import { Recommender } from '@hushrec/recommend';

export type { PublishedModel } from '@hushrec/model';
export {
  type HistoryEntry,
  HistoryError,
  type Recommendation,
  type Recommendations,
  Recommender,
} from '@hushrec/recommend';
export { OwnHistory } from './site/own-history.js';

/** A published model on this device. */
export interface DeviceModel {
  readonly published: PublishedModel;
  readonly recommender: Recommender;
}

/** The model could not be fetched; nothing was loaded. */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError';
  readonly status: number;
  constructor(file: string, status: number) {
    super(`${file} could not be fetched (${status}). Check the address of the model folder.`);
    this.status = status;
  }
}

/**
 * Fetches a model folder (`https://…/models/my-model/`), checks every file against the certificate's hashes and
 * gives a recommender. These are the only requests this library ever makes, and they carry nothing about the person.
 *
 * @example
 * const { recommender } = await fetchModel('/models/sample-eps-1/');
 * const { items } = recommender.recommend([{ id: 'movie-7', rating: 4.5 }], { k: 20 });
 */
export async function fetchModel(folder: string, init?: RequestInit): Promise<DeviceModel> {
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  const names = [fileNames.certificate, fileNames.manifest, fileNames.tensors, fileNames.certificateText];
  const contents = await Promise.all(
    names.map(async (name) => {
      const response = await fetch(`${base}${name}`, init);
      if (!response.ok) throw new ModelFetchError(name, response.status);
      return [name, new Uint8Array(await response.arrayBuffer())] as const;
    }),
  );
  return openModel(new Map(contents));
}

/** The same from bytes that are already on the device: works offline. */
export async function openModel(files: ReadonlyMap<string, Uint8Array>): Promise<DeviceModel> {
  const published = await decodePublished(files);
  const { itemIds, titles, scale } = published.manifest;
  const recommender = new Recommender({
    model: published.model,
    itemIds,
    ...(titles && { titles }),
    ...(scale && { scale }),
  });
  return { published, recommender };
}
