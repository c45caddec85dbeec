import { svgElement } from '../build-element.js';
import { noiseDots } from './curves.js';

/** Signal beside noise for five groups of titles, from the rarest to the most rated; noise is 1 in each. */
export function signalBars(fifths: readonly (number | null)[], width: number, height = 190): SVGSVGElement {
  const [top, bottom] = [24, 26];
  const most = Math.max(1.2, ...fifths.map((ratio) => ratio ?? 0));
  const slot = width / fifths.length;
  const barWidth = Math.min(44, slot * 0.34);
  const y = (value: number) => height - bottom - (value / most) * (height - top - bottom);
  const bars = fifths.map((ratio, group) => {
    const left = slot * group + slot * 0.12;
    const value = ratio ?? 0;
    const label = group === 0 ? 'rarest' : group === fifths.length - 1 ? 'most rated' : String(group + 1);
    const noiseTop = y(1);
    const [labelAt, anchor] = group === fifths.length - 1 ? [width, 'end'] : [left, 'start'];
    return `<rect class="signal" x="${left.toFixed(1)}" y="${y(value).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${Math.max(1, height - bottom - y(value)).toFixed(1)}" rx="3"/><rect class="noise-ground" x="${(left + barWidth + 4).toFixed(1)}" y="${noiseTop.toFixed(1)}" width="${barWidth.toFixed(1)}" height="${(height - bottom - noiseTop).toFixed(1)}" rx="3"/>${noiseDots(left + barWidth + 4, noiseTop, barWidth, group, height - bottom - noiseTop)}<text class="${value >= 1 ? 'accent' : 'noise-word'}" x="${left.toFixed(1)}" y="${(y(Math.max(value, 1)) - 8).toFixed(1)}">${ratio === null ? 'noise' : `${Number(ratio.toPrecision(2))} ×`}</text><text x="${labelAt.toFixed(1)}" y="${height - 8}" text-anchor="${anchor}">${label}</text>`;
  });
  const said = fifths.map((ratio) => (ratio === null ? 'none' : Number(ratio.toPrecision(2)))).join(', ');
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Signal over noise by popularity, the rarest fifth first: ${said}."><g class="labels"><path class="quiet-line" d="M0 ${height - bottom}H${width}"/>${bars.join('')}</g></svg>`,
  );
}
