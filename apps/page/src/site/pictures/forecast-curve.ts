import { axisScale } from '@hushrec/report';
import { svgElement } from '../build-element.js';

/** What to expect at an ε: parts of the way from the start to no privacy. */
export interface ForecastPoint {
  readonly epsilon: number;
  readonly low: number;
  readonly high: number;
}

const ticks = [0.1, 0.3, 1, 3, 8, 20];

/** The range of quality against ε, between what needs nobody's taste and no privacy, with one ε marked. */
export function forecastCurve(
  points: readonly ForecastPoint[],
  at: ForecastPoint,
  start: string,
  width: number,
): SVGSVGElement {
  const [left, right, top, bottom, height] = [4, 4, 26, 28, 210];
  const [least, most] = [Math.min(-0.25, Math.max(-0.6, ...points.map(({ low }) => low).slice(0, 1))), 1.1];
  const clamp = (way: number) => Math.max(least, Math.min(most, way));
  const across = axisScale(
    { label: 'ε', scale: 'log', min: 0.1, max: 20, ticks },
    [],
    left,
    width - right,
    6,
  );
  const upward = axisScale({ label: 'quality', min: least, max: most }, [], height - bottom, top, 6);
  const x = (epsilon: number) => across.position(Math.min(20, Math.max(0.1, epsilon)));
  const y = (way: number) => upward.position(clamp(way));
  const place = (epsilon: number, way: number) => `${x(epsilon).toFixed(1)},${y(way).toFixed(1)}`;
  const band = [
    ...points.map(({ epsilon, high }) => place(epsilon, high)),
    ...points.toReversed().map(({ epsilon, low }) => place(epsilon, low)),
  ];
  const middle = points.map(({ epsilon, low, high }) => place(epsilon, (low + high) / 2));
  const marked = x(at.epsilon);
  const words = `${percent(at.low)} to ${percent(at.high)} of the way`;
  const anchor = marked > width - 110 ? 'end' : marked < 110 ? 'start' : 'middle';
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Forecast at ε = ${at.epsilon}: ${words} from ${start} to no privacy."><g class="labels"><path class="dashed" d="M${left} ${y(1).toFixed(1)}H${width - right}M${left} ${y(0).toFixed(1)}H${width - right}"/><text x="${left}" y="${(y(1) - 6).toFixed(1)}">no privacy</text><text x="${width - right}" y="${(y(0) + 16).toFixed(1)}" text-anchor="end">${start}</text><polygon class="fill-soft" points="${band.join(' ')}"/><polyline class="signal-line" points="${middle.join(' ')}"/><path class="signal-line" d="M${marked.toFixed(1)} ${y(at.high).toFixed(1)}V${y(at.low).toFixed(1)}"/><circle class="signal" cx="${marked.toFixed(1)}" cy="${y((at.low + at.high) / 2).toFixed(1)}" r="5"/><text class="accent" x="${marked.toFixed(1)}" y="14" text-anchor="${anchor}">${words}</text>${ticks
      .map(
        (tick, place_) =>
          `<text x="${x(tick).toFixed(1)}" y="${height - 8}" text-anchor="${place_ === 0 ? 'start' : place_ === ticks.length - 1 ? 'end' : 'middle'}">${place_ === 0 ? `ε = ${tick}` : tick}</text>`,
      )
      .join('')}</g></svg>`,
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
