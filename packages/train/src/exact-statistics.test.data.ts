import { type NoiseLayout, type ReleaseRecorder, type Sensitive, wrapRecorder } from '@hushrec/privacy';
import { revealToMechanism } from '../../privacy/src/recorder/sensitive.js';

/** What noise was to be added to, in real units; `bounds` for each vector that a unit touches alone. */
interface Statistic {
  readonly values: Float64Array;
  readonly norm: Sensitive<unknown>['norm'];
  readonly bounds: readonly number[];
}

/** The exact statistics of one run, by release and occurrence, then by part. */
export type ExactStatistics = Map<string, Map<number, Statistic>>;

/** The same recorder; every statistic that it is given is noted before noise is added. */
export function noting(recorder: ReleaseRecorder, noted: ExactStatistics): ReleaseRecorder {
  const occurrences = new Map<string, number>();
  return wrapRecorder(recorder, (open, name) => {
    const occurrence = occurrences.get(name) ?? 0;
    occurrences.set(name, occurrence + 1);
    const parts = new Map<number, Statistic>();
    noted.set(`${name} ${occurrence}`, parts);
    const note = (part: number, { norm, sensitivity }: Sensitive<unknown>, values: Float64Array) =>
      void parts.set(part, { values, norm, bounds: [sensitivity] });
    return {
      add(part, statistic, gridStep, layout = { kind: 'vector' }, options) {
        const values = revealToMechanism(statistic).map(
          (value, at) => value * gridStep * weightOf(layout, at),
        );
        const own = layout.kind === 'vectors' && layout.sensitivities;
        parts.set(part, {
          values,
          norm: statistic.norm,
          bounds: own ? Array.from(own) : [statistic.sensitivity],
        });
        return open.add(part, statistic, gridStep, layout, options);
      },
      flip(part, bits) {
        note(part, bits, Float64Array.from(revealToMechanism(bits)));
        return open.flip(part, bits);
      },
      select(part, scores, gridStep) {
        note(
          part,
          scores,
          revealToMechanism(scores).map((score) => score * gridStep),
        );
        return open.select(part, scores, gridStep);
      },
      thresholdedLaplace(part, cells, row) {
        const { columns, values } = revealToMechanism(cells);
        const whole = new Float64Array(row.columnCount);
        for (const [at, column] of columns.entries()) whole[column] = values[at] * row.gridStep;
        note(part, cells, whole);
        return open.thresholdedLaplace(part, cells, row);
      },
    };
  });
}

/** Off the diagonal of a packed triangle noise is smaller by √2, so that a change counts by √2 more. */
function weightOf(layout: NoiseLayout, at: number): number {
  if (layout.kind !== 'symmetric') return 1;
  const { width } = layout;
  let rest = at % ((width * (width + 1)) / 2);
  for (let row = width; rest >= row; row--) rest -= row;
  return rest === 0 ? 1 : Math.SQRT2;
}

/** Room for the rounding of what is added up here. */
const room = 1 + 1e-9;

/**
 * Where the statistics of two neighbouring runs, answered alike, are further apart than the plan says that a
 * unit of privacy can move them; and how many moved at all. The same folder from the same releases says
 * nothing about this: what was divided, filtered or counted before a statistic was made shows here.
 */
export function shiftsBeyond(
  { plan }: Pick<ReleaseRecorder, 'plan'>,
  one: ExactStatistics,
  other: ExactStatistics,
): { readonly beyond: string[]; readonly moved: number } {
  const beyond: string[] = [];
  let moved = 0;
  for (const [release, parts] of one) {
    const line = plan.releases.find(({ name }) => name === release.slice(0, release.lastIndexOf(' ')))!;
    const shifts = [...parts].map(([part, statistic]) => {
      const again = other.get(release)?.get(part);
      return again === undefined ? [Infinity] : shiftsOf(statistic, again);
    });
    if (shifts.flat().some((shift) => shift > 0)) moved++;
    if (line.proved !== undefined && 'nothingBecause' in line.proved) continue;
    if (line.perPart) {
      const bounds = [...parts.values()].map((statistic) => statistic.bounds);
      for (const [part, each] of shifts.entries())
        for (const [at, shift] of each.entries())
          if (!(shift <= bounds[part][Math.min(at, bounds[part].length - 1)] * room))
            beyond.push(`${release}: ${shift} of ${bounds[part]}`);
      continue;
    }
    const bound = line.proved?.sensitivity ?? line.sensitivity;
    const together = lengthOf(shifts.flat(), [...parts.values()][0]?.norm ?? 'l2');
    if (!(together <= bound * room)) beyond.push(`${release}: ${together} of ${bound}`);
  }
  return { beyond, moved };
}

/** How far each vector of a part moved: one for the whole part, unless each has a bound of its own. */
function shiftsOf({ values, norm, bounds }: Statistic, other: Statistic): number[] {
  const size = values.length / bounds.length;
  return bounds.map((_, at) =>
    lengthOf(
      Array.from(
        values.subarray(at * size, (at + 1) * size),
        (value, k) => value - other.values[at * size + k],
      ),
      norm,
    ),
  );
}

function lengthOf(values: readonly number[], norm: Statistic['norm']): number {
  switch (norm) {
    case 'l1':
      return values.reduce((sum, value) => sum + Math.abs(value), 0);
    case 'l2':
      return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
    case 'linf':
      return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    default:
      return norm satisfies never;
  }
}
