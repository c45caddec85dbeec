import { percentWords, posteriorOf } from '@hushrec/model';
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
  return svgElement(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 300 200" role="img" aria-label="From 50 % sure to at most ${percentWords(half)} sure; the curve gives every other starting point.">
    <g class="quiet-line"><path d="M34 12H284M34 91H284M34 170H284"/></g>
    <polygon class="fill-soft" points="${points.join(' ')} ${x(0)},${y(0)}"/>
    <path class="dashed" d="M34 170L284 12"/>
    <polyline class="signal-line" points="${points.join(' ')}"/>
    <path class="signal-line" d="M${x(0.5)} ${y(0.5)}V${y(half).toFixed(1)}"/><circle class="signal" cx="${x(0.5)}" cy="${y(half).toFixed(1)}" r="5"/>
    <g class="labels"><text x="28" y="16" text-anchor="end">100</text><text x="28" y="95" text-anchor="end">50</text><text x="28" y="174" text-anchor="end">0</text>
    <text x="34" y="192">sure before, %</text><text x="284" y="192" text-anchor="end">100</text><text x="278" y="104" text-anchor="end">learns nothing</text>
    <text class="accent" x="${x(0.5) - 6}" y="${(y(half) - 10).toFixed(1)}" text-anchor="end">50 → ${percentWords(half)}</text></g></svg>`);
}

/** One release: what one person can change, and the noise on it, on a scale of powers of ten. */
export function releaseBars(
  releases: readonly { readonly name: string; readonly ratio: number; readonly count: number }[],
): SVGSVGElement {
  const width = 520;
  const left = 4;
  const most = Math.max(10, ...releases.map(({ ratio }) => ratio));
  const x = (ratio: number) => left + (Math.log10(Math.max(1, ratio)) / Math.log10(most)) * (width - 90);
  const rows = releases.map(({ name, ratio, count }, at) => {
    const y = 18 + at * 44;
    const label = escaped(count > 1 ? `${name} ×${count}` : name);
    const dots = noiseDots(left, y, x(ratio) - left, at);
    return `<text x="${left}" y="${y - 5}">${label}</text><rect class="noise-ground" x="${left}" y="${y}" width="${Math.max(3, x(ratio) - left).toFixed(1)}" height="16" rx="3"/>${dots}<rect class="ink" x="${left - 1}" y="${y - 2}" width="3" height="20"/><text class="strong" x="${(x(ratio) + 8).toFixed(1)}" y="${y + 13}">${Number(ratio.toPrecision(3))} ×</text>`;
  });
  const height = 24 + releases.length * 44;
  const said = releases.map(({ name, ratio }) => `${name}: ${Number(ratio.toPrecision(3))} times`).join('; ');
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 ${width} ${height}" role="img" aria-label="Noise over what one person can change. ${escaped(said)}"><g class="labels">${rows.join('')}</g></svg>`,
  );
}

function noiseDots(left: number, top: number, width: number, seed: number): string {
  const dots: string[] = [];
  for (let at = 0; at < width / 5; at++) {
    const a = Math.abs(Math.sin((at + 1) * 12.9898 + seed * 78.233) * 43758.5453) % 1;
    const b = Math.abs(Math.sin((at + 1) * 39.425 + seed * 11.135) * 24634.6345) % 1;
    dots.push(
      `<circle class="noise" cx="${(left + 3 + a * Math.max(0, width - 6)).toFixed(1)}" cy="${(top + 2 + b * 12).toFixed(1)}" r="${(0.8 + a).toFixed(1)}"/>`,
    );
  }
  return dots.join('');
}

/** ε that an account has spent, run by run, under its limit. */
export function spentSteps(after: readonly number[], granted: number | null): SVGSVGElement {
  const most = Math.max(granted ?? 0, ...after, 0.001) * 1.12;
  const x = (run: number) => 36 + (run / Math.max(1, after.length)) * 500;
  const y = (epsilon: number) => 190 - (epsilon / most) * 170;
  let path = `M36 ${y(0)}`;
  for (const [run, epsilon] of after.entries())
    path += `H${x(run + 0.5).toFixed(1)}V${y(epsilon).toFixed(1)}`;
  const end = x(after.length);
  const marks = after.map(
    (epsilon, run) =>
      `<circle class="signal" cx="${x(run + 0.5).toFixed(1)}" cy="${y(epsilon).toFixed(1)}" r="4"/>`,
  );
  const limit =
    granted === null
      ? ''
      : `<rect class="refused" x="36" y="8" width="500" height="${Math.max(0, y(granted) - 8).toFixed(1)}"/><path class="limit" d="M36 ${y(granted).toFixed(1)}H536"/><text class="strong" x="42" y="${(y(granted) - 6).toFixed(1)}">grant: ε = ${granted}, beyond it runs are refused</text>`;
  return svgElement(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 545 214" role="img" aria-label="ε spent after each run: ${after.map((each) => Number(each.toPrecision(3))).join(', ')}${granted === null ? '' : ` of ${granted}`}.">
    <g class="labels">${limit}<polygon class="fill-soft" points="${stepPoints(after, x, y)}"/><path class="signal-line" d="${path}H${end}"/>${marks.join('')}
    <path class="quiet-line" d="M36 190H536"/><text x="30" y="194" text-anchor="end">0</text><text x="30" y="${(y(most / 1.12) + 4).toFixed(1)}" text-anchor="end">${Number((most / 1.12).toPrecision(2))}</text><text x="36" y="208">first run</text><text x="536" y="208" text-anchor="end">now</text></g></svg>`);
}

function stepPoints(
  after: readonly number[],
  x: (run: number) => number,
  y: (epsilon: number) => number,
): string {
  const points = [`36,${y(0)}`];
  let before = 0;
  for (const [run, epsilon] of after.entries()) {
    points.push(`${x(run + 0.5)},${y(before)}`, `${x(run + 0.5)},${y(epsilon)}`);
    before = epsilon;
  }
  points.push(`${x(after.length)},${y(before)}`, `${x(after.length)},${y(0)}`);
  return points.join(' ');
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
