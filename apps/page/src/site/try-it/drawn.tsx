import type { JSX } from 'preact';
import { type IconName, icon } from '../icons.js';
import { poster } from '../pictures/poster.js';

/**
 * A place for something that is drawn once, by code that makes elements itself: a cover, an icon, a counter.
 */
export function Drawn({ node, class: name }: { node: Element; class?: string }): JSX.Element {
  return (
    <span
      class={name ?? 'drawn'}
      ref={(place) => {
        if (place?.firstChild !== node) place?.replaceChildren(node);
      }}
    />
  );
}

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

export function Icon({ name }: { name: IconName }) {
  return (
    <span
      class="drawn"
      ref={(place) => {
        if (place?.firstChild === null) place.append(icon(name));
      }}
    />
  );
}
