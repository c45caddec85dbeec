import { shownEpsilon } from '@hushrec/model/words';
import type { LineChart } from '@hushrec/report';
import { type Account, spentAfter } from '../budget-plan.js';

/** The account after a run, and when that was. */
export interface SpentStep {
  readonly at: number;
  readonly after: number;
}

const month = 365.25 * (86_400_000 / 12);
const months = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const short = (epsilon: number) => shownEpsilon(epsilon, 3);

/** Steps of ε that an account has spent, under its grant, and what two plans for the next year would add. */
export function spentOverTime(steps: readonly SpentStep[], account: Account, now = Date.now()): LineChart {
  const { granted, spent } = account;
  const plans = [1, 0.5].map((epsilon) => {
    const points = Array.from({ length: 13 }, (_, run) => ({
      x: now + run * month,
      y: spentAfter(account, epsilon, run),
    }));
    const refused = granted === null ? undefined : points.find(({ y }) => y > granted);
    const end = granted === null ? '' : refused ? `, refused from ${months.format(refused.x)}` : ', fits';
    const name = `ε = ${epsilon} monthly: ${short(points[12].y)}${end}`;
    return { name, points, marks: refused ? [{ x: refused.x, text: '' }] : [], isStepped: true };
  });
  const first = Math.min(now - 3 * month, ...steps.map(({ at }) => at - 0.2 * month));
  const said =
    steps.length > 12
      ? `${short(spent)} after ${steps.length} runs`
      : steps.map(({ after }) => short(after)).join(', ');
  return {
    kind: 'line',
    title: `ε spent after each run: ${said}${granted === null ? '' : `, of ${granted} granted`}. In a year: ${plans.map(({ name }) => name).join('; ')}.`,
    x: { label: '', scale: 'time', notes: [{ at: now, text: 'today' }] },
    y: { label: 'ε', min: 0 },
    series: [
      {
        name: 'spent',
        points: [
          { x: first, y: 0 },
          // Visitors are told days: of one day, what it came to.
          ...steps
            .filter(({ at }, place) => steps[place + 1]?.at !== at)
            .map(({ at, after }) => ({ x: at, y: after })),
          { x: now, y: spent },
        ],
        marks: byDay(steps).map(({ at, runs }) => ({ x: at, text: runs === 1 ? '' : `${runs} runs` })),
        isStepped: true,
      },
      ...plans,
    ],
    references: granted === null ? [] : [{ name: `grant: ${granted}`, y: granted, isLimit: true }],
    namesAtEnds: true,
  };
}

/** The last run of each day, and how many there were. */
function byDay(steps: readonly SpentStep[]): { at: number; runs: number }[] {
  const found: { at: number; runs: number }[] = [];
  const day = (at: number) => Math.floor(at / 86_400_000);
  for (const { at } of steps) {
    const last = found.at(-1);
    if (last !== undefined && day(last.at) === day(at)) found[found.length - 1] = { at, runs: last.runs + 1 };
    else found.push({ at, runs: 1 });
  }
  return found;
}
