import { trainModel } from '@hushrec/factorize';
import { generateCatalogue } from '@hushrec/ratings';
import type { Experiment } from '../experiment.js';

const steps = 5;

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
    const cpuSeconds = async (
      method: string,
      settings: Readonly<Record<string, number | boolean>>,
      epsilon: number,
    ) => {
      const before = process.cpuUsage();
      await trainModel({
        method,
        settings,
        ratings,
        engine: context.engine,
        epsilon,
        delta: epsilon === Infinity ? 0 : 1e-5,
        declaredPeople: ratings.userCount,
        hooks: { signal: context.signal },
      });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1e6;
    };
    /**
     * The least of five runs of either by turns, after one that is not counted, with secure noise as in
     * production.
     */
    const leastSeconds = async (rank: number, intercepts: boolean) => {
      let als = Infinity;
      let dpals = Infinity;
      for (let run = 0; run < 6; run++) {
        const plain = await cpuSeconds('als', { rank, rounds: steps, biases: intercepts }, Infinity);
        const noised = await cpuSeconds('dpals', { rank, rounds: steps, intercept: intercepts }, 5);
        if (run === 0) continue;
        als = Math.min(als, plain);
        dpals = Math.min(dpals, noised);
      }
      return { als, dpals };
    };
    const rows: { rank: number; intercepts: boolean; als: number; dpals: number }[] = [];
    const ranks = context.quick ? [16, 32] : [8, 16, 32, 64];
    for (const rank of ranks) {
      // With intercepts `als` solves twice on either side, `dpals` on one: without them the comparison is the
      // harder one.
      for (const intercepts of [true, false]) {
        context.progress(`rank ${rank}`, rows.length, 2 * ranks.length);
        rows.push({ rank, intercepts, ...(await leastSeconds(rank, intercepts)) });
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
