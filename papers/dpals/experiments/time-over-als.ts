import { trainModel } from '@hushrec/factorize';
import { generateCatalogue, type RatingMatrix } from '@hushrec/ratings';
import type { ReportSection } from '@hushrec/report';
import type { Experiment, ExperimentContext } from '../../harness/experiment.js';

const steps = 5;

interface Row {
  readonly rank: number;
  readonly intercepts: boolean;
  /** CPU seconds. */
  readonly als: number;
  readonly dpals: number;
}

/**
 * What noise, clipping and exact integer sums cost in time: DPALS against ALS with the same rank and number
 * of steps.
 */
export const timeOverAls: Experiment = {
  id: 'dpals/time',
  title: 'CPU time of DPALS over that of ALS',
  paper: 'Chien et al. 2021, Algorithm 1 (its cost is that of ALS there)',
  needs: [],
  minutes: 2,
  async run(context) {
    // As many people, films and training ratings as MovieLens 1M has.
    const { ratings } = generateCatalogue({
      users: 6040,
      items: 3706,
      ratings: 800_000,
      seed: context.seed,
    });
    const rows: Row[] = [];
    const ranks = context.quick ? [16, 32] : [8, 16, 32, 64];
    for (const rank of ranks) {
      // With intercepts `als` solves twice on either side, `dpals` on one: without them the comparison is the
      // harder one.
      for (const intercepts of [true, false]) {
        context.progress(`rank ${rank}`, rows.length, 2 * ranks.length);
        rows.push({ rank, intercepts, ...(await leastSeconds(context, ratings, rank, intercepts)) });
      }
    }
    return {
      findings: rows.map(({ rank, intercepts, als, dpals }) => ({
        what: `rank ${rank}, ${intercepts ? 'with' : 'without'} intercepts: CPU time of dpals over that of als (at most 2 wanted)`,
        measured: dpals / als,
        holds: dpals / als <= 2,
        note: `als ${als.toFixed(2)} s, dpals ${dpals.toFixed(2)} s, ${steps} steps each`,
      })),
      guarantee: 'Timings on generated data.',
      sections: [curves(rows)],
    };
  },
};

/**
 * The least of five runs of either by turns, after one that is not counted, with secure noise as in
 * production.
 */
async function leastSeconds(
  context: ExperimentContext,
  ratings: RatingMatrix,
  rank: number,
  intercepts: boolean,
): Promise<Pick<Row, 'als' | 'dpals'>> {
  let als = Infinity;
  let dpals = Infinity;
  for (let run = 0; run < 6; run++) {
    const common = { rank, rounds: steps };
    const plain = await cpuSeconds(context, ratings, 'als', { ...common, biases: intercepts }, Infinity);
    const noised = await cpuSeconds(context, ratings, 'dpals', { ...common, intercept: intercepts }, 5);
    if (run === 0) continue;
    als = Math.min(als, plain);
    dpals = Math.min(dpals, noised);
  }
  return { als, dpals };
}

async function cpuSeconds(
  { engine, signal }: ExperimentContext,
  ratings: RatingMatrix,
  method: string,
  settings: Readonly<Record<string, number | boolean>>,
  epsilon: number,
): Promise<number> {
  const before = process.cpuUsage();
  await trainModel({
    method,
    settings,
    ratings,
    engine,
    epsilon,
    delta: epsilon === Infinity ? 0 : 1e-5,
    declaredPeople: ratings.userCount,
    hooks: { signal },
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function curves(rows: readonly Row[]): ReportSection {
  return {
    heading: 'CPU seconds by rank',
    chart: {
      kind: 'line',
      title: 'CPU seconds by rank',
      x: { label: 'rank', scale: 'log' },
      y: { label: 'CPU seconds', scale: 'log' },
      series: [true, false].flatMap((intercepts) =>
        (['als', 'dpals'] as const).map((name) => ({
          name: intercepts ? name : `${name}, no intercepts`,
          points: rows
            .filter((row) => row.intercepts === intercepts)
            .map((row) => ({ x: row.rank, y: row[name] })),
        })),
      ),
    },
  };
}
