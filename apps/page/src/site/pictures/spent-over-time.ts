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
const short = (epsilon: number) => shownEpsilon(epsilon, 3);

/** Steps of ε that an account has spent, under its grant, and what two plans for the next year would add. */
export function spentOverTime(
  steps: readonly SpentStep[],
  account: Account,
  width: number,
  now = Date.now(),
): SVGSVGElement {
  const { granted } = account;
  const isWide = width > 620;
  const [left, right, top, bottom, height] = [30, isWide ? 160 : 8, 16, 34, isWide ? 300 : 250];
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
  const said =
    steps.length > 12
      ? `${short(account.spent)} after ${steps.length} runs`
      : steps.map(({ after }) => short(after)).join(', ');
  return svgElement(`<svg xmlns="http://www.w3.org/2000/svg" class="figure" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="ε spent after each run: ${said}${granted === null ? '' : `, of ${granted} granted`}. In a year: ${plans.map(({ epsilon, totals }) => `${short(totals.at(-1)!)} with monthly runs at ε = ${epsilon}`).join(', ')}.">
    <g class="labels">${ticks}${limit}<path class="fill-soft" d="${path}V${at(y(0))}H${at(x(first))}z"/><path class="signal-line" d="${path}"/>
    ${markers(steps, x, y)}
    ${drawnPlans.join('')}<path class="quiet-line" d="M${at(x(now))} ${top - 8}V${height - bottom}"/>
    ${x(now) - left > 90 ? `<text x="${left}" y="${height - 12}">${monthsOfYear.format(first)}</text>` : ''}<text class="strong" x="${at(x(now))}" y="${height - 12}" text-anchor="middle">today</text><text x="${width - right}" y="${height - 12}" text-anchor="end">${monthsOfYear.format(end)}</text></g></svg>`);
}

/** Runs of one day as one: a bar from before the first to after the last, with their number. */
interface DayOfRuns {
  readonly at: number;
  readonly before: number;
  readonly after: number;
  readonly runs: number;
}

function byDay(steps: readonly SpentStep[]): DayOfRuns[] {
  const found: DayOfRuns[] = [];
  for (const { at, after } of steps) {
    const last = found.at(-1);
    if (last !== undefined && days.format(last.at) === days.format(at))
      found[found.length - 1] = { ...last, at, after, runs: last.runs + 1 };
    else found.push({ at, after, before: last?.after ?? 0, runs: 1 });
  }
  return found;
}

/**
 * A dot for each day with runs, smaller where they are close; how many there were, where there is room to say
 * it.
 */
function markers(
  steps: readonly SpentStep[],
  x: (at: number) => number,
  y: (epsilon: number) => number,
): string {
  const shown = byDay(steps);
  const gaps = shown.slice(1).map(({ at }, before) => x(at) - x(shown[before].at));
  const radius = Math.max(1.5, Math.min(4, Math.min(...gaps, 20) / 2));
  let taken = Number.NEGATIVE_INFINITY;
  return shown
    .map(({ at, before, after, runs }) => {
      const [left, from, to] = [x(at).toFixed(1), y(before).toFixed(1), y(after).toFixed(1)];
      const what = runs === 1 ? '' : `${runs} runs, `;
      const isRoom = runs > 1 && x(at) - taken > 60 && y(before) - y(after) > 24;
      if (isRoom) taken = x(at);
      const words = isRoom
        ? `<text x="${(x(at) + 8).toFixed(1)}" y="${((y(before) + y(after)) / 2 + 4).toFixed(1)}">${runs} runs</text>`
        : '';
      const bar = runs === 1 ? '' : `<path class="signal-line many" d="M${left} ${from}V${to}"/>`;
      return `<g><title>${days.format(at)}: ${what}ε = ${short(after)} in all</title>${bar}<circle opacity="0" cx="${left}" cy="${to}" r="14"/><circle class="signal" cx="${left}" cy="${to}" r="${radius.toFixed(1)}"/>${words}</g>`;
    })
    .join('');
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
