import { CorruptModelError, decodePublished, fileNames, type PublishedModel } from '@hushrec/model';
import { isTooNoisy } from '@hushrec/model/usefulness';
import { Recommender, recommendable } from '@hushrec/recommend';
import { listModels } from './model-list.js';
import { ask, type ModelSummary } from './server-interface.js';

/** A model in this tab: checked against its hashes, ready to recommend. */
export interface LoadedModel {
  readonly summary: ModelSummary;
  readonly published: PublishedModel;
  readonly recommender: Recommender;
  /** The bytes as they came, for verification. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const loaded = new Map<string, Promise<LoadedModel>>();

/**
 * Fetches all files of a model once; after that everything happens in this tab.
 *
 * @param came told of so many bytes more, all of them at once where the model is here already
 */
export function loadModel(
  summary: ModelSummary,
  came: (bytes: number) => void = () => {},
): Promise<LoadedModel> {
  const key = `${summary.id} ${Object.values(summary.files).join(' ')}`;
  const known = loaded.get(key);
  if (known !== undefined) {
    came(summary.bytes);
    return known;
  }
  const loading = fetchWhole(summary, came);
  loaded.set(key, loading);
  loading.catch(() => loaded.delete(key));
  return loading;
}

/** A model that is replaced while it is fetched is fetched again, with what is said of it now. */
async function fetchWhole(
  summary: ModelSummary,
  came: (bytes: number) => void,
  tries = 2,
): Promise<LoadedModel> {
  try {
    return await fetchModel(summary, came);
  } catch (error) {
    if (tries === 0 || !(error instanceof CorruptModelError)) throw error;
    const now = (await listModels()).find(({ id }) => id === summary.id);
    if (now === undefined || tagOf(now) === tagOf(summary)) throw error;
    return fetchWhole(now, came, tries - 1);
  }
}

function tagOf({ files }: ModelSummary): string | undefined {
  return files[fileNames.certificate];
}

async function fetchModel(summary: ModelSummary, came: (bytes: number) => void): Promise<LoadedModel> {
  const names = Object.keys(summary.files);
  const contents = await Promise.all(
    names.map(async (name) => {
      const response = await ask(`/models/${encodeURIComponent(summary.id)}/${encodeURIComponent(name)}`);
      return [name, await bytesOf(response, came)] as const;
    }),
  );
  const files = new Map(contents);
  const published = await decodePublished(files);
  const recommender = new Recommender(recommendable(judgedNow(published)));
  return { summary, published, recommender, files };
}

/**
 * Older certificates call weak what no list can be made of: its lists are as of any model that is all noise.
 */
export function judgedNow(published: PublishedModel): PublishedModel {
  const { certificate } = published;
  const { usefulness } = certificate;
  return usefulness === undefined || !isTooNoisy(usefulness)
    ? published
    : { ...published, certificate: { ...certificate, usefulness: { ...usefulness, verdict: 'too-noisy' } } };
}

/** The whole body, told piece by piece. */
async function bytesOf(response: Response, came: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (const reader = response.body!.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    pieces.push(value);
    came(value.length);
  }
}
