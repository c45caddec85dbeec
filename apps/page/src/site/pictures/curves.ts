import { percentWords, posteriorOf } from '@hushrec/model/words';
import { svgElement } from '../build-element.js';

/** How sure before, how sure after, for every starting point. */
export function posteriorCurve(epsilon: number): SVGSVGElement {
  const x = (share: number) => 34 + share * 250;
  const y = (share: number) => 12 + (1 - share) * 158;
  const points = Array.from(
    { length: 51 },
    (_, at) => `${x(at / 50).toFixed(1)},${y(posteriorOf(at / 50, epsilon)).toFixed(1)}`,
  );
  const half = posteriorOf(0.5, epsilon);
  return svgElement(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 300 200" role="img" aria-label="From 50% sure to at most ${percentWords(half)} sure; the curve gives every other starting point.">
    <g class="quiet-line"><path d="M34 12H284M34 91H284M34 170H284"/></g>
    <polygon class="fill-soft" points="${points.join(' ')} ${x(0)},${y(0)}"/>
    <path class="dashed" d="M34 170L284 12"/>
    <polyline class="signal-line" points="${points.join(' ')}"/>
    <path class="signal-line" d="M${x(0.5)} ${y(0.5)}V${y(half).toFixed(1)}"/><circle class="signal" cx="${x(0.5)}" cy="${y(half).toFixed(1)}" r="5"/>
    <g class="labels"><text x="28" y="16" text-anchor="end">100</text><text x="28" y="95" text-anchor="end">50</text><text x="28" y="174" text-anchor="end">0</text>
    <text x="34" y="192">sure before, %</text><text x="284" y="192" text-anchor="end">100</text><text x="278" y="104" text-anchor="end">learns nothing</text>
    <text class="accent" x="${x(0.5) - 6}" y="${(y(half) - 10).toFixed(1)}" text-anchor="end">50 → ${percentWords(half)}</text></g></svg>`);
}

/** A kind of released number, in units of what one person can change. */
export interface ReleaseBar {
  readonly name: string;
  /** Noise over what one person can change. */
  readonly ratio: number;
  readonly count: number;
  /**
   * What everyone adds up to over what one person can change, for the most counted titles; absent where that
   * is not known.
   */
  readonly everyone?: number;
}

/**
 * You, the noise, and everyone together, on a scale of powers of ten; names at the left where there is room,
 * else above.
 */
export function releaseBars(releases: readonly ReleaseBar[], width: number): SVGSVGElement {
  const isWide = width > 480;
  const left = isWide ? 196 : 4;
  const [step, above] = isWide ? [30, 0] : [44, 18];
  const most = Math.max(10, ...releases.map(({ ratio, everyone }) => Math.max(ratio, everyone ?? 0)));
  const x = (ratio: number) =>
    left + (Math.log10(Math.max(1, ratio)) / Math.log10(most)) * (width - left - 72);
  const short = (ratio: number) => Number(ratio.toPrecision(3));
  const rows = releases.map(({ name, ratio, count, everyone }, at) => {
    const y = 22 + above + at * step;
    const label = escaped(count > 1 ? `${name} ×${count}` : name);
    const noise = x(ratio) - left;
    const shared = everyone !== undefined && everyone > ratio ? x(everyone) : undefined;
    const signal =
      shared === undefined
        ? ''
        : `<rect class="signal" x="${x(ratio).toFixed(1)}" y="${y}" width="${(shared - x(ratio)).toFixed(1)}" height="16"/>`;
    return `<text x="${isWide ? 0 : left}" y="${isWide ? y + 13 : y - 5}">${label}</text><rect class="noise-ground" x="${left}" y="${y}" width="${Math.max(3, noise).toFixed(1)}" height="16" rx="3"/>${noiseDots(left, y, noise, at)}${signal}<rect class="ink" x="${left - 1}" y="${y - 2}" width="3" height="20"/><text class="strong" x="${((shared ?? x(ratio)) + 8).toFixed(1)}" y="${y + 13}">${inThousands.format(short(ratio))} ×</text>`;
  });
  const axis = 24 + releases.length * step;
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
  const ticks = powers.map(
    (power) =>
      `<text x="${x(power).toFixed(1)}" y="${axis + 16}" text-anchor="${power === 1 ? 'start' : 'middle'}">${inThousands.format(power)}</text>`,
  );
  const isShared = releases.some(({ everyone }) => everyone !== undefined);
  const note = `times one person, log scale${isShared && width > 420 ? '; everyone: the most counted tenth of titles' : ''}`;
  const height = axis + 38;
  const said = releases.map(({ name, ratio }) => `${name}: ${short(ratio)} times`).join('; ');
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Noise over what one person can change. ${escaped(said)}"><g class="labels"><text class="strong" x="${left}" y="12">you</text><text class="noise-word" x="${left + 34}" y="12">noise</text>${isShared ? `<text class="accent" x="${left + 82}" y="12">everyone together</text>` : ''}<text x="${width}" y="12" text-anchor="end">noise ÷ you</text>${rows.join('')}<path class="quiet-line" d="M${left} ${axis}H${width - 72}"/>${ticks.join('')}<text x="${isWide ? 0 : left}" y="${height - 4}">${note}</text></g></svg>`,
  );
}

const inThousands = new Intl.NumberFormat('en');

/** Dots of a fixed seed within a box. */
export function noiseDots(left: number, top: number, width: number, seed: number, height = 16): string {
  const dots: string[] = [];
  for (let at = 0; at < (width * height) / 80; at++) {
    const a = Math.abs(Math.sin((at + 1) * 12.9898 + seed * 78.233) * 43758.5453) % 1;
    const b = Math.abs(Math.sin((at + 1) * 39.425 + seed * 11.135) * 24634.6345) % 1;
    dots.push(
      `<circle class="noise" cx="${(left + 3 + a * Math.max(0, width - 6)).toFixed(1)}" cy="${(top + 2 + b * Math.max(0, height - 4)).toFixed(1)}" r="${(0.8 + a).toFixed(1)}"/>`,
    );
  }
  return dots.join('');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
