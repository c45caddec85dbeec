import { svgElement } from '../build-element.js';
import { noiseDots } from './dots.js';

/** Height that is kept free for it at any width. */
export const twoHalvesHeight = 236;
const narrowBelow = 520;
const widest = 1020;

/** How ratings travel: halves that look random, two who add up, one public log. */
export function twoHalves([one, other]: readonly [string, string], room: number): SVGSVGElement {
  const width = Math.min(widest, room);
  const [drawn, height] =
    width < narrowBelow ? [upright(one, other, width), 372] : [across(one, other, width), twoHalvesHeight];
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure halves-figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Your device splits its numbers into two halves that look random. ${escaped(one)} and ${escaped(other)} each add up one half of everyone and add noise. Only the total reaches the public log."><g class="labels">${drawn}</g></svg>`,
  );
}

/** From left to right. */
function across(one: string, other: string, width: number): string {
  const [top, bottom, middle] = [52, 178, 115];
  const [half, body, log] = [0.24 * width, 0.47 * width, width - 124];
  const bodyWidth = Math.min(150, log - body - 40);
  const lines = [top, bottom].map((y) => {
    const side = y < middle ? -1 : 1;
    const thread = (left: number, from: number, right: number, to: number) =>
      `M${left} ${from}C${(left + right) / 2} ${from} ${(left + right) / 2} ${to} ${right} ${to}`;
    return `<path class="thread" d="${thread(102, middle + 12 * side, half, y)}H${body}${thread(body + bodyWidth, y, log, middle + 14 * side)}"/>`;
  });
  return `${lines.join('')}${device(2, middle - 38)}${halfBox(half, top - 24, 'one half: looks random', -8)}${halfBox(half, bottom - 24, 'other half: looks random', 66)}${bodyBox(body, top, bodyWidth, one)}${bodyBox(body, bottom, bodyWidth, other)}<text class="accent" x="${(body + bodyWidth / 2).toFixed(1)}" y="${middle + 4}" text-anchor="middle">one of the two must be honest</text>${publicLog(log, middle - 46)}`;
}

/** From top to bottom, where there is no room across. */
function upright(one: string, other: string, width: number): string {
  const [left, right] = [width * 0.25, width * 0.75];
  const bodyWidth = Math.min(150, width / 2 - 12);
  const lines = [left, right].map((x) => {
    const own = width / 2 + (x < width / 2 ? -20 : 20);
    return `<path class="thread" d="M${own} 78C${own} 96 ${x} 92 ${x} 110M${x} 186V200M${x} 249C${x} 264 ${own} 260 ${own} 276"/>`;
  });
  return `${lines.join('')}${device(width / 2 - 50, 2)}${halfBox(left - 44, 110, 'looks random', 66)}${halfBox(right - 44, 110, 'looks random', 66)}${bodyBox(left - bodyWidth / 2, 222, bodyWidth, one)}${bodyBox(right - bodyWidth / 2, 222, bodyWidth, other)}${publicLog(width / 2 - 61, 276)}`;
}

function device(x: number, y: number): string {
  const bars = [12, 26, 8, 20, 16].map(
    (height, at) =>
      `<rect class="signal" x="${(x + 19 + at * 13).toFixed(1)}" y="${(y + 62 - height).toFixed(1)}" width="9" height="${height}"/>`,
  );
  return `<rect class="box" x="${x.toFixed(1)}" y="${y}" width="100" height="76" rx="12"/><text class="strong" x="${(x + 50).toFixed(1)}" y="${y + 22}" text-anchor="middle">your device</text>${bars.join('')}`;
}

function halfBox(x: number, y: number, words: string, wordsAt: number): string {
  return `<rect class="noise-ground" x="${x.toFixed(1)}" y="${y}" width="88" height="48" rx="8"/>${noiseDots(x, y, 88, 48, Math.round(x + y))}<text x="${(x + 44).toFixed(1)}" y="${y + wordsAt}" text-anchor="middle">${words}</text>`;
}

function bodyBox(x: number, y: number, width: number, name: string): string {
  const middle = (x + width / 2).toFixed(1);
  return `<rect class="soft-box" x="${x.toFixed(1)}" y="${y - 27}" width="${width.toFixed(1)}" height="54" rx="12"/><text class="strong" x="${middle}" y="${y - 4}" text-anchor="middle">${escaped(name.length > 18 ? `${name.slice(0, 17)}…` : name)}</text><text x="${middle}" y="${y + 15}" text-anchor="middle">adds up, adds noise</text>`;
}

function publicLog(x: number, y: number): string {
  const bars = [28, 40, 20, 46, 34, 24].map(
    (height, at) =>
      `<rect class="signal" x="${(x + 18 + at * 15).toFixed(1)}" y="${(y + 82 - height).toFixed(1)}" width="9" height="${height}"/>`,
  );
  return `<rect class="box log" x="${x.toFixed(1)}" y="${y}" width="122" height="92" rx="12"/><text class="strong" x="${(x + 61).toFixed(1)}" y="${y + 20}" text-anchor="middle">public log</text>${bars.join('')}${noiseDots(x + 10, y + 30, 102, 52, 7)}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
