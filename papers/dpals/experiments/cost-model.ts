import { trainModel } from '@hushrec/factorize';
import { generateCatalogue } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';

interface Size {
  readonly users: number;
  readonly items: number;
  readonly steps: number;
}

interface Point extends Size {
  readonly sums: number;
  readonly gradients: number;
}

const ratingsPerUser = 50;

/**
 * Krichene et al. 2024, Figures 5 and 6: cost of noised sums (SSP-c) and of noised gradients as people, items
 * and steps grow.
 */
export const costModel: Experiment = {
  id: 'am-ssp/cost',
  title: 'Cost of noised sums and of noised gradients',
  paper: 'Krichene et al. 2024, Figures 5 and 6',
  needs: [],
  minutes: 4,
  quickMinutes: 0.2,
  async run(context) {
    const largest = context.quick ? 4000 : 16_000;
    const base: Size = { users: largest / 4, items: 1000, steps: 16 };
    const series = {
      people: [1, 2, 4].map((times) => ({ ...base, users: base.users * times })),
      items: [1, 2, 4].map((times) => ({ ...base, items: base.items * times })),
      steps: [1, 2, 4].map((times) => ({ ...base, steps: base.steps * times })),
    };
    await measure(context, base); // warms up the compiler; not counted
    const points: Record<string, Point[]> = {};
    for (const [name, sizes] of Object.entries(series)) {
      points[name] = [];
      for (const size of sizes) {
        context.progress(`${name}: ${JSON.stringify(size)}`, points[name].length, sizes.length);
        points[name].push(await measure(context, size));
      }
    }
    const [byPeople, byItems, bySteps] = [points['people'], points['items'], points['steps']];
    return {
      findings: [
        growth('noised gradients, 4 times the people', byPeople, 'gradients', (ratio) => ratio > 2),
        growth('noised gradients, 4 times the steps', bySteps, 'gradients', (ratio) => ratio > 2),
        growth('noised sums, 4 times the people', byPeople, 'sums', (ratio) => ratio < 5),
        growth('noised sums, 4 times the steps', bySteps, 'sums', (ratio) => ratio < 4),
        growth('noised sums, 4 times the items', byItems, 'sums', (ratio) => ratio > 1),
        {
          what: `CPU time of gradients over that of sums, ${bySteps.at(-1)!.users} people, ${bySteps.at(-1)!.steps} steps`,
          measured: bySteps.at(-1)!.gradients / bySteps.at(-1)!.sums,
          holds: bySteps.at(-1)!.gradients > bySteps.at(-1)!.sums,
          note: 'with equally many steps; the published 100 times on ML-10M counts that gradients also need more steps',
        },
      ],
      guarantee: 'Timings on generated data; nobody is protected or harmed.',
      sections: Object.entries(points).map(([name, measured]) => ({
        heading: `As ${name} grow`,
        chart: {
          kind: 'line' as const,
          title: `CPU seconds of one round by number of ${name}`,
          x: { label: name, scale: 'log' as const },
          y: { label: 'CPU seconds', scale: 'log' as const },
          series: (['sums', 'gradients'] as const).map((kind) => ({
            name: kind === 'sums' ? 'noised sums (SSP-c)' : 'noised gradients (DP-SGD)',
            points: measured.map((point) => ({
              x: name === 'people' ? point.users : name === 'items' ? point.items : point.steps,
              y: point[kind],
            })),
          })),
        },
        table: {
          columns: ['people', 'items', 'steps', 'sums (s)', 'gradients (s)'],
          rows: measured.map((point) => [point.users, point.items, point.steps, point.sums, point.gradients]),
        },
      })),
    };
  },
};

/** How the time grew from the first point to the last, and whether that is what the cost formula says. */
function growth(
  what: string,
  points: readonly Point[],
  kind: 'sums' | 'gradients',
  expected: (ratio: number) => boolean,
): Finding {
  const ratio = points.at(-1)![kind] / points[0][kind];
  return {
    what: `${what}: CPU time grows`,
    measured: ratio,
    holds: expected(ratio),
    note: `${points.map((point) => `${point[kind].toFixed(2)} s`).join(', ')}; sums cost O(ratings·d²) once and O(items·d²) a step, gradients O(ratings·d) a step`,
  };
}

/**
 * CPU seconds of one round of each method over the same data with the same number of steps, the smaller of
 * two runs.
 */
async function measure(context: ExperimentContext, size: Size): Promise<Point> {
  const { users, items, steps } = size;
  const { ratings } = generateCatalogue({
    users,
    items,
    ratings: users * ratingsPerUser,
    seed: context.seed,
  });
  const settings = { rank: 16, rounds: 1 };
  const time = async (method: string, own: Readonly<Record<string, unknown>>) => {
    let least = Infinity;
    for (let run = 0; run < 2; run++) {
      const before = process.cpuUsage();
      await trainModel({
        method,
        settings: { ...settings, ...own },
        ratings,
        engine: context.engine,
        epsilon: 5,
        delta: 1e-5,
        declaredPeople: users,
        seed: context.seed,
        hooks: { signal: context.signal },
      });
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1e6);
    }
    return least;
  };
  return {
    ...size,
    sums: await time('am-ssp', { innerSteps: steps }),
    gradients: await time('am-dpsgd', { stepsPerRound: steps, samplingRate: 1 }),
  };
}
