import { SeededRandom } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, ExperimentResult, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';
import { baselineErrors } from './baseline-errors.js';
import { mean } from './crossing.js';
import { findCrossing } from './find-crossing.js';
import { firstToEffects } from './first-to-effects.js';
import { FoldRunner } from './fold-runner.js';
import {
  type Changes,
  type FriedmanData,
  type PrivateMethod,
  paper,
  printedSettings,
  publishedCrossings,
  scoutsOf,
  type Unit,
} from './paper-settings.js';

const methods: readonly PrivateMethod[] = [
  'private-global-effects',
  'input-perturbation',
  'private-sgd',
  'private-als',
];
const factor = 1.5;

interface Row {
  readonly data: FriedmanData;
  readonly method: PrivateMethod;
  readonly baseline: 'item' | 'effects';
  readonly published: number;
  readonly epsilon: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Mean RMSE minus baseline at the published ε. */
  readonly differenceThere: number;
}

interface DataRows {
  readonly data: FriedmanData;
  readonly rows: readonly Row[];
  readonly order: readonly Finding[];
  /**
   * Processor time of everything, halved: what an idle machine with two cores takes. `null` where finished
   * runs were reused.
   */
  readonly minutes: number | null;
}

/**
 * Tables 4 and 5: the smallest ε at which each method reaches a baseline, for one unit, with the methods as
 * printed.
 */
export function crossingTable(
  unit: Unit,
  id: string,
  table: string,
  sets: readonly FriedmanData[],
  minutes: number,
  quickMinutes: number,
): Experiment {
  return {
    id,
    title: `ε to reach a baseline, ${unit === 'rating-value' ? 'values' : 'presence'} protected: ${sets.join(', ')}`,
    paper: `${paper}, ${table}`,
    needs: sets,
    minutes,
    quickMinutes,
    async run(context) {
      const measured: DataRows[] = [];
      const names = context.quick ? sets.slice(0, 1) : sets;
      for (const name of names) measured.push(await crossings(context, name, unit));
      return result(measured, unit, context.quick);
    },
  };
}

async function crossings(context: ExperimentContext, name: FriedmanData, unit: Unit): Promise<DataRows> {
  const before = process.cpuUsage();
  const runner = new FoldRunner(name, await loadRealData(context, name), context);
  const random = new SeededRandom(context.seed);
  const rows: Row[] = [];
  let order: Finding[];
  try {
    const folds = Array.from({ length: context.quick ? 3 : runner.folds }, (_, fold) => fold);
    const baselines = await baselineErrors(runner, folds);
    const crossingOf = (method: PrivateMethod, baseline: 'item' | 'effects', changes: Changes) =>
      findCrossing(
        runner,
        {
          method,
          settings: { ...printedSettings(method, name, unit), ...changes },
          baseline: baselines[baseline],
          runs: context.quick ? 1 : 5,
          folds,
          scouts: scoutsOf(method, unit),
          start: publishedCrossings[unit][name][method][baseline]!,
          least: 0.05,
          most: 200,
        },
        () => random.uniform(),
      );
    for (const [at, method] of methods.entries()) {
      context.progress(`${name}, ${method}`, at, methods.length);
      const targets = publishedCrossings[unit][name][method];
      const settings = printedSettings(method, name, unit);
      for (const baseline of ['item', 'effects'] as const) {
        const published = targets[baseline];
        if (published === undefined) continue;
        const { epsilon, low, high } = await crossingOf(method, baseline, {});
        const few = folds.slice(0, scoutsOf(method, unit));
        const there = await runner.errors({ method, settings, epsilon: published, folds: few, runs: 1 });
        const differenceThere = mean(there.map(({ fold, rmse }) => rmse - baselines[baseline][fold]));
        rows.push({ data: name, method, baseline, published, epsilon, low, high, differenceThere });
      }
    }
    const factorizations = rows
      .filter(({ baseline }) => baseline === 'effects')
      .map(({ method, published, epsilon, low, high }) => ({
        method,
        published,
        measured: { epsilon, low, high },
      }));
    order = [
      averagesFirst(name, rows),
      ...(await firstToEffects(name, factorizations, (method, changes) =>
        crossingOf(method, 'effects', changes),
      )),
    ];
  } finally {
    await runner.close();
  }
  const { user, system } = process.cpuUsage(before);
  return { data: name, rows, order, minutes: runner.allTrainedHere ? (user + system) / 1e6 / 60 / 2 : null };
}

function result(measured: readonly DataRows[], unit: Unit, quick: boolean): ExperimentResult {
  const rows = measured.flatMap((each) => each.rows);
  const findings = rows.map((row): Finding => {
    const { epsilon } = row;
    const near = epsilon !== null && Math.max(epsilon / row.published, row.published / epsilon) <= factor;
    return {
      what: `${row.data}: ${row.method} reaches ${row.baseline === 'item' ? 'item average' : 'global effects'}`,
      published: row.published,
      measured: epsilon ?? Number.POSITIVE_INFINITY,
      ...(row.low !== null && row.high !== null && { error: (row.high - row.low) / (2 * 1.96) }),
      holds: near,
      note:
        `95 % interval ${show(row.low)} to ${show(row.high)}; ` +
        (near ? `within a factor of ${factor}` : `outside a factor of ${factor}: ${explain(row)}`),
    };
  });
  return {
    findings: [
      ...findings,
      ...measured.flatMap(({ order }) => order),
      ...smallerOnMore(measured),
      ...measured.flatMap(({ data, minutes }): Finding[] =>
        minutes === null
          ? []
          : [
              {
                what: `${data}: processor time over two (minutes on two cores)`,
                measured: minutes,
                holds: minutes <= 10,
              },
            ],
      ),
    ],
    guarantee:
      unit === 'rating-value'
        ? 'Claimed: ε. Proved: ε for averages, input perturbation and SGD; (ε/2)(p/q + q/p) of the factor share for ALS as printed (exchanged norm bounds).'
        : 'Claimed: ε. Proved: 1.07 ε for averages and a little more than ε for input perturbation (uncentred sums); nothing for SGD and ALS as printed. The repaired variants are ε.',
    sections: [
      {
        heading: 'Smallest ε that reaches a baseline',
        text: `${quick ? 'Three folds with one run' : 'Ten folds with five runs'} each; the methods as printed. Interval: bootstrap over folds.`,
        table: {
          columns: ['data', 'method', 'baseline', 'published ε', 'measured ε', 'low', 'high'],
          rows: rows.map((row) => [
            row.data,
            row.method,
            row.baseline,
            row.published,
            row.epsilon,
            row.low,
            row.high,
          ]),
        },
      },
    ],
  };
}

/**
 * What the paper reads off its tables first: averages alone need the least ε to be as good as the item
 * average.
 */
function averagesFirst(data: FriedmanData, rows: readonly Row[]): Finding {
  const [averages, ...others] = rows
    .filter(({ baseline }) => baseline === 'item')
    .map(({ epsilon }) => epsilon ?? Number.POSITIVE_INFINITY);
  return {
    what: `${data}: averages alone reach the item average first`,
    measured: averages,
    holds: others.every((epsilon) => averages < epsilon),
  };
}

/** §5.2: “the performance of all the algorithms improves as the size of the datasets increases”. */
function smallerOnMore(measured: readonly DataRows[]): Finding[] {
  return measured.slice(1).flatMap(({ data, rows }, at) =>
    rows.flatMap(({ method, baseline, epsilon }): Finding[] => {
      const before = measured[at];
      const smaller = before.rows.find((row) => row.method === method && row.baseline === baseline);
      if (smaller === undefined) return [];
      const [own, other] = [epsilon, smaller.epsilon].map((each) => each ?? Number.POSITIVE_INFINITY);
      return [
        {
          what: `${method}, ${baseline === 'item' ? 'item average' : 'global effects'}: ${data} takes a smaller ε than ${before.data} (ratio)`,
          measured: own / other,
          holds: own < other,
        },
      ];
    }),
  );
}

/**
 * How far the curve is from the baseline at the published ε; `friedman/crossing-causes` looks for what moves
 * it.
 */
function explain({ differenceThere, epsilon, published }: Row): string {
  const there = `${differenceThere >= 0 ? '+' : ''}${differenceThere.toFixed(4)} from the baseline at the published ε`;
  const how =
    Math.abs(differenceThere) <= 0.003
      ? 'the curve is flat there'
      : `it is reached ${epsilon !== null && epsilon < published ? 'earlier' : 'later'} here`;
  return `${how}, ${there}; see friedman/crossing-causes`;
}

function show(value: number | null): string {
  return value === null ? '–' : value.toPrecision(3);
}
