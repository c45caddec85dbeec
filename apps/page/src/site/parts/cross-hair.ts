import { element, listening } from '../build-element.js';

/**
 * A line at the measured place nearest to the pointer, and what every series has there. The table below says
 * the same to those who do not point.
 */
export function crossHair(place: HTMLElement): void {
  const line = element('div', { class: 'cross-hair', 'aria-hidden': true });
  const words = element('p', { class: 'read-out micro', 'aria-hidden': true });
  const hide = () => {
    line.remove();
    words.remove();
  };
  listening(place, {
    pointermove: (event) => {
      const { clientX, buttons } = event as PointerEvent;
      const marks = [...place.querySelectorAll<SVGGElement>('g[data-x]')];
      if (buttons !== 0 || marks.length === 0) return hide();
      const middle = (mark: SVGGElement) => {
        const { left, width } = mark.lastElementChild!.getBoundingClientRect();
        return left + width / 2;
      };
      const near = marks.reduce((best, mark) =>
        Math.abs(middle(mark) - clientX) < Math.abs(middle(best) - clientX) ? mark : best,
      );
      const box = place.getBoundingClientRect();
      const at = middle(near) - box.left;
      line.style.setProperty('left', `${at}px`);
      words.replaceChildren(
        ...marks
          .filter((mark) => mark.dataset['x'] === near.dataset['x'])
          .map((mark) => element('span', {}, mark.querySelector('title')!.textContent!)),
      );
      words.style.setProperty(
        at > box.width / 2 ? 'right' : 'left',
        `${(at > box.width / 2 ? box.width - at : at) + 10}px`,
      );
      words.style.removeProperty(at > box.width / 2 ? 'left' : 'right');
      place.append(line, words);
    },
    pointerleave: hide,
  });
}
