import { shownEpsilon } from '@hushrec/model/words';
import { svgElement } from '../build-element.js';

/** Steps of ε that an account has spent, small and without a scale. */
export function spentSpark(after: readonly number[], granted: number | null, width: number): SVGSVGElement {
  const [top, height] = [20, 96];
  const most = 1.05 * Math.max(granted ?? 0, ...after, 0.001);
  const x = (run: number) => (run / Math.max(1, after.length)) * (width - 8);
  const y = (epsilon: number) => height - 4 - (epsilon / most) * (height - top - 4);
  const at = (value: number) => value.toFixed(1);
  let path = `M0 ${at(y(0))}`;
  for (const [run, epsilon] of after.entries()) path += `H${at(x(run + 0.5))}V${at(y(epsilon))}`;
  path += `H${at(x(after.length))}`;
  const limit =
    granted === null
      ? ''
      : `<path class="dashed" d="M0 ${at(y(granted))}H${width}"/><text class="strong" x="${width}" y="${at(y(granted) - 6)}" text-anchor="end">grant ${granted}</text>`;
  return svgElement(
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ε spent after each run: ${after.map((epsilon) => shownEpsilon(epsilon, 3)).join(', ')}${granted === null ? '' : ` of ${granted}`}."><g class="labels">${limit}<path class="fill-soft" d="${path}V${at(y(0))}H0z"/><path class="signal-line" d="${path}"/><circle class="signal" cx="${at(x(after.length))}" cy="${at(y(after.at(-1) ?? 0))}" r="4.5"/></g></svg>`,
  );
}

/** An account that nothing was taken from, below a grant that is not drawn yet. */
export function nothingSpentPicture(): SVGSVGElement {
  return svgElement(
    '<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="260" height="84" viewBox="0 0 260 84" role="img" aria-label="Nothing is spent below a grant that is still to be set."><g class="labels"><text class="strong" x="258" y="14" text-anchor="end">your grant</text></g><path class="dashed" d="M2 24H258"/><path class="quiet-line" d="M2 74H258"/><circle class="signal" cx="6" cy="74" r="5"/></svg>',
  );
}
