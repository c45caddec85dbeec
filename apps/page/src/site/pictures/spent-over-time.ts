import { shownEpsilon } from '@hushrec/model/words';
import { axisScale } from '@hushrec/report';
import { type Account, spentAfter } from '../budget-plan.js';
import { svgElement } from '../build-element.js';

/** The account after a run, and when that was. */
export interface SpentStep {
  readonly at: number;
  readonly after: number;
}

const day = 86_400_000;
const month = 365.25 * (day / 12);
const months = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const monthsOfYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const short = (epsilon: number) => shownEpsilon(epsilon, 2);

/** Steps of ε that an account has spent, under its grant, and what two plans for the next year would add. */
export function spentOverTime(
  steps: readonly SpentStep[],
  account: Account,
  width: number,
  now = Date.now(),
): SVGSVGElement {
  const { granted } = account;
  const isWide = width > 620;
  const [left, right, top, bottom, height] = [30, isWide ? 150 : 8, 16, 34, isWide ? 300 : 250];
  const plans = [1, 0.5].map((epsilon) => ({
    epsilon,
    totals: Array.from({ length: 12 }, (_, run) => spentAfter(account, epsilon, run + 1)),
  }));
  const most =
    1.1 *
    Math.max(granted ?? 0, account.spent, ...steps.map(({ after }) => after), ...plans[0].totals, 0.001);
  const first = Math.min(now - 3 * month, ...steps.map(({ at }) => at - 0.2 * month));
  const end = now + 12.2 * month;
  const x = (at: number) => left + ((at - first) / (end - first)) * (width - left - right);
  const scale = axisScale({ label: 'ε', min: 0, max: most }, [], height - bottom, top, 4);
  const y = (epsilon: number) => scale.position(epsilon);
  const at = (value: number) => value.toFixed(1);
  const ends = apart(plans.map(({ totals }) => y(totals.at(-1)!)));
  let path = `M${at(x(first))} ${at(y(0))}`;
  for (const step of steps) path += `H${at(x(step.at))}V${at(y(step.after))}`;
  path += `H${at(x(now))}`;
  const drawnPlans = plans.map(({ epsilon, totals }, place) => {
    let line = `M${at(x(now))} ${at(y(account.spent))}`;
    for (const [run, total] of totals.entries()) line += `H${at(x(now + (run + 1) * month))}V${at(y(total))}`;
    const refused = granted === null ? -1 : totals.findIndex((total) => total > granted);
    const last = totals.at(-1)!;
    const cross =
      refused < 0
        ? ''
        : `<path class="cross" d="M${at(x(now + (refused + 1) * month) - 5)} ${at(y(granted!) - 5)}l10 10m0-10l-10 10"/>`;
    const words = refused < 0 ? 'fits' : `refused from ${months.format(now + (refused + 1) * month)}`;
    const label = isWide
      ? `<text class="strong" x="${at(width - right + 8)}" y="${at(ends[place] + 2)}">ε = ${epsilon} monthly: ${short(last)}</text><text x="${at(width - right + 8)}" y="${at(ends[place] + 18)}">${granted === null ? 'no limit' : words}</text>`
      : `<text class="strong" x="${at(width - right)}" y="${at(besideLine(place, y(last), granted === null ? undefined : y(granted)))}" text-anchor="end">ε = ${epsilon} monthly: ${short(last)}</text>`;
    return `<path class="plan plan-${place}" d="${line}"/>${cross}${label}`;
  });
  const limit =
    granted === null
      ? ''
      : `<rect class="refused" x="${left}" y="${top - 8}" width="${width - left - right}" height="${at(Math.max(0, y(granted) - top + 8))}"/><path class="limit" d="M${left} ${at(y(granted))}H${width - right}"/><text class="strong" x="${left + 6}" y="${at(y(granted) - 6)}">${isWide ? `grant: ε = ${granted}, beyond it runs are refused` : `grant: ${granted}`}</text>`;
  const ticks = scale.ticks
    .map(
      (level) =>
        `<path class="quiet-line" d="M${left} ${at(y(level))}H${width - right}"/><text x="${left - 6}" y="${at(y(level) + 4)}" text-anchor="end">${level}</text>`,
    )
    .join('');
  const said = steps.map(({ after }) => short(after)).join(', ');
  return svgElement(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ε spent after each run: ${said}${granted === null ? '' : `, of ${granted} granted`}. In a year: ${plans.map(({ epsilon, totals }) => `${short(totals.at(-1)!)} with monthly runs at ε = ${epsilon}`).join(', ')}.">
    <g class="labels">${ticks}${limit}<path class="fill-soft" d="${path}V${at(y(0))}H${at(x(first))}z"/><path class="signal-line" d="${path}"/>
    ${steps.map((step) => `<g><title>${days.format(step.at)}: ε = ${short(step.after)} in all</title><circle opacity="0" cx="${at(x(step.at))}" cy="${at(y(step.after))}" r="14"/><circle class="signal" cx="${at(x(step.at))}" cy="${at(y(step.after))}" r="4"/></g>`).join('')}
    ${drawnPlans.join('')}<path class="quiet-line" d="M${at(x(now))} ${top - 8}V${height - bottom}"/>
    ${x(now) - left > 90 ? `<text x="${left}" y="${height - 12}">${monthsOfYear.format(first)}</text>` : ''}<text class="strong" x="${at(x(now))}" y="${height - 12}" text-anchor="middle">today</text><text x="${width - right}" y="${height - 12}" text-anchor="end">${monthsOfYear.format(end)}</text></g></svg>`);
}

/**
 * Where a narrow picture says what a plan comes to: off its own line, off the other plan and off the grant.
 */
function besideLine(place: number, end: number, grant: number | undefined): number {
  if (place > 0) return end + 32;
  const above = end - 8;
  return grant !== undefined && grant > above - 14 && grant < above + 6 ? grant - 6 : above;
}

/** Heights of names of two lines each, from the top, moved down where they would run into each other. */
function apart(heights: readonly number[]): number[] {
  const placed: number[] = [];
  for (const height of heights) placed.push(Math.max(height, (placed.at(-1) ?? -Infinity) + 36));
  return placed;
}

/** The same without a scale of time and without plans, small: for the overview. */
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
    `<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ε spent after each run: ${after.map(short).join(', ')}${granted === null ? '' : ` of ${granted}`}."><g class="labels">${limit}<path class="fill-soft" d="${path}V${at(y(0))}H0z"/><path class="signal-line" d="${path}"/><circle class="signal" cx="${at(x(after.length))}" cy="${at(y(after.at(-1) ?? 0))}" r="4.5"/></g></svg>`,
  );
}

/** An account that nothing was taken from, below a grant that is not drawn yet. */
export function nothingSpentPicture(): SVGSVGElement {
  return svgElement(
    '<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="260" height="84" viewBox="0 0 260 84" role="img" aria-label="Nothing is spent below a grant that is still to be set."><g class="labels"><text class="strong" x="258" y="14" text-anchor="end">your grant</text></g><path class="dashed" d="M2 24H258"/><path class="quiet-line" d="M2 74H258"/><circle class="signal" cx="6" cy="74" r="5"/></svg>',
  );
}
