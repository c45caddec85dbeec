import type { LoadedModel } from './model-library.js';
import { ask } from './server-interface.js';

/** Pictures of a catalogue that are loaded one by one; where there are more, drawn covers stand for them. */
const mostFetched = 500;

/**
 * Pictures of titles that this server has, all fetched at once before anything is rated: asking for the
 * pictures of a list would tell the server what is on it. Nobody else is ever asked.
 */
export async function cataloguePictures({
  published: { manifest },
}: LoadedModel): Promise<(id: string) => string | undefined> {
  const found = new Map<string, string>();
  const { itemIds, images = [] } = manifest;
  const own: { readonly id: string; readonly path: string }[] = [];
  for (const [index, id] of itemIds.entries()) {
    const path = images[index] ?? '';
    if (/^\/(?!\/)/.test(path)) own.push({ id, path });
  }
  if (own.length <= mostFetched)
    await Promise.all(
      own.map(async ({ id, path }) => {
        const picture = await fetchPicture(path);
        if (picture !== undefined) found.set(id, picture);
      }),
    );
  return (id) => found.get(id);
}

/** One picture as an address within this tab; undefined where there is none, and a cover is drawn instead. */
async function fetchPicture(path: string): Promise<string | undefined> {
  try {
    const blob = await (await ask(path)).blob();
    return /^image\/(png|jpeg|webp|avif|gif)$/.test(blob.type) ? URL.createObjectURL(blob) : undefined;
  } catch {
    return undefined;
  }
}
