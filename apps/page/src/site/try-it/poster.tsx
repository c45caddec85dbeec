import { Drawn } from '../parts/drawn.js';
import { poster } from '../pictures/poster.js';
import { titleParts } from '../title-parts.js';
import type { TryState } from './state.js';

const posters = new Map<string, Element>();

/** The cover of a title; each place has its own, since an element can stand in one place only. */
export function Poster({ state, id, place }: { state: TryState; id: string; place: string }) {
  const [name, picture] = [titleParts(state.catalogue.titleOf(id)).name, state.catalogue.pictureOf(id)];
  // Two titles may have the same name.
  const key = `${place} ${picture ?? ''} ${id} ${name}`;
  const known = posters.get(key) ?? poster(name, picture);
  posters.set(key, known);
  return <Drawn node={known} />;
}
