import { element } from '../build-element.js';

/**
 * A picture drawn at the width it has, again when that changes: its text keeps its size on a phone. Its
 * height is reserved before, so that nothing below it moves.
 */
export function fittedFigure(height: number, draw: (width: number) => SVGSVGElement): HTMLElement {
  const place = element('div', { class: 'fitted' });
  place.style.setProperty('min-height', `${height}px`);
  let drawn = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.round(contentRect.width);
    if (width < 1 || width === drawn) return;
    drawn = width;
    place.replaceChildren(draw(width));
  }).observe(place);
  return place;
}
