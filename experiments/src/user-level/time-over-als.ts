import { trainModel } from '@hushrec/factorize';
import { generateCatalogue } from '@hushrec/ratings';
import type { Experiment } from '../experiment.js';

const steps = 5;

/** What noise, clipping and exact integer sums cost in time: DPALS against ALS with the same rank and number of steps. */
export const timeOverAls: Experiment = {
  id: 'dpals/time',
  title: 'CPU time of DPALS over that of ALS',
  paper: 'Chien et al. 2021, Algorithm 1 (its cost is that of ALS there)',
  needs: [],
  minutes: 1,
  async run(context) {
    // As many people, films and training ratings as MovieLens 1M has.
    const { ratings } = generateCatalogue({
      users: 6040,
      items: 3706,
      ratings: 800_000,
      seed: context.seed,
    });
    /** The least of three runs after one that is not counted, with secure noise as in production. */
    const cpuSeconds = async (
      method: string,
      settings: Readonly<Record<string, number | boolean>>,
      epsilon: number,
    ) => {
      let least = Infinity;
      for (let run = 0; run < 4; run++) {
        const before = process.cpuUsage();
        await trainModel({
          method,
          settings,
          ratings,
          engine: context.engine,
          epsilon,
          delta: epsilon === Infinity ? 0 : 1e-5,
          declaredUsers: ratings.userCount,
          hooks: { signal: context.signal },
        });
        const { user, system } = process.cpuUsage(before);
        if (run > 0) least = Math.min(least, (user + system) / 1e6);
      }
      return least;
    };
    const rows: { rank: number; intercepts: boolean; als: number; dpals: number }[] = [];
    const ranks = context.quick ? [16, 32] : [8, 16, 32, 64];
    for (const rank of ranks) {
      // With intercepts `als` solves twice on either side, `dpals` on one: without them the comparison is the harder one.
      for (const intercepts of [true, false]) {
        context.progress(`rank ${rank}`, rows.length, 2 * ranks.length);
        rows.push({
          rank,
          intercepts,
          als: await cpuSeconds('als', { rank, iterations: steps, biases: intercepts }, Infinity),
          dpals: await cpuSeconds('dpals', { rank, rounds: steps, intercept: intercepts }, 5),
        });
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
      sections: [
        {
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
        },
      ],
    };
  },
};
