import { type Chart, drawChart } from '@hushrec/report';
import { svgElement } from '../build-element.js';
import { crossHair } from './cross-hair.js';
import { fittedFigure } from './fitted-figure.js';

let charts = 0;

/**
 * A chart as wide as its place, with a cross-hair: for cards that have their own heading and no downloads.
 */
export function fittedChart(chart: Chart, height: number): HTMLElement {
  const id = `chart-${++charts}`;
  const place = fittedFigure(height, (width) =>
    svgElement(drawChart(chart, { id, width, height, untitled: true })),
  );
  place.classList.add('zoomable');
  crossHair(place);
  return place;
}
