/**
 * Rows that keep their item glide from their old place to the new one (first, last, invert, play); not where
 * less motion is asked for.
 */
export class Moves {
  readonly #place: HTMLElement;
  readonly #before: ReadonlyMap<string, number>;

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#before = new Map(rowsOf(place).map(({ key, row }) => [key, row.getBoundingClientRect().top]));
  }

  play(): void {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const { key, row } of rowsOf(this.#place)) {
      const was = this.#before.get(key);
      const moved = was === undefined ? 0 : was - row.getBoundingClientRect().top;
      if (Math.abs(moved) > 1)
        row.animate([{ transform: `translateY(${moved}px)` }, { transform: 'none' }], {
          duration: 320,
          easing: 'cubic-bezier(.2,.7,.2,1)',
        });
    }
  }
}

function rowsOf(place: HTMLElement): { readonly key: string; readonly row: HTMLElement }[] {
  return [...place.children].flatMap((column, at) =>
    [...column.querySelectorAll<HTMLElement>('li[data-item]')].map((row) => ({
      key: `${at} ${row.dataset['item']}`,
      row,
    })),
  );
}
