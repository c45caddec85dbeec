import { Drawn } from '../parts/drawn.js';
import { poster } from '../pictures/poster.js';

const posters = new Map<string, Element>();

/** The cover of a title; each place has its own, since an element can stand in one place only. */
export function Poster({
  name,
  picture,
  place,
}: {
  name: string;
  picture: string | undefined;
  place: string;
}) {
  const key = `${place} ${picture ?? ''} ${name}`;
  const known = posters.get(key) ?? poster(name, picture);
  posters.set(key, known);
  return <Drawn node={known} />;
}
