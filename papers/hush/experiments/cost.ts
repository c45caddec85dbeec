import { trainModel } from '@hushrec/factorize';
import { generateCatalogue } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { type FreshProcesses, freshProcesses } from './train-in-fresh-process.js';

const rounds = 5;
const names = ['als', 'dpals', 'hush'] as const;
type Name = (typeof names)[number];

const requestOf = (name: Name, rank: number) => ({
  method: name,
  settings: name === 'als' ? { rank, rounds, biases: true } : { rank, rounds },
  epsilon: name === 'als' ? null : 5,
});

/** The same on choices, beside `ials` that solves everybody's system exactly as `hush` does. */
const ofChoices = (name: 'ials' | 'hush', rank: number) => ({
  method: name,
  settings: { rank, rounds, ...(name === 'ials' ? { solver: 'cholesky' } : { feedback: 'implicit' }) },
  epsilon: name === 'ials' ? null : 5,
});

/** CPU and memory of `hush` and `dpals` over plain `als`, at the same rank and number of rounds. */
export const cost: Experiment = {
  id: 'hush/cost',
  title: 'CPU and memory of hush beside dpals and als',
  paper: 'this project, docs/hush.md',
  needs: [],
  minutes: 3,
  async run(context) {
    // As many people, films and training ratings as MovieLens 1M has.
    const { ratings } = generateCatalogue({ users: 6040, items: 3706, ratings: 800_000, seed: context.seed });
    const ranks = context.quick ? [16, 32] : [8, 16, 32, 64];
    const processes = await freshProcesses(ratings);
    const findings: Finding[] = [];
    const rows: (string | number)[][] = [];
    try {
      for (const [done, rank] of ranks.entries()) {
        context.progress(`rank ${rank}`, done, ranks.length);
        const cpu = {} as Record<Name, number>;
        const memory = {} as Record<Name, number>;
        for (const name of names) {
          cpu[name] = await cpuSeconds(context, ratings, requestOf(name, rank));
          memory[name] = await megabytes(context, processes, name, rank);
          rows.push([name, rank, cpu[name], memory[name]]);
        }
        const { als, dpals, hush } = cpu;
        findings.push(
          {
            what: `rank ${rank}: CPU time of hush over that of als (at most 1.5 wanted)`,
            measured: hush / als,
            holds: hush / als <= 1.5,
            note: `als ${als.toFixed(2)} s, hush ${hush.toFixed(2)} s, dpals ${dpals.toFixed(2)} s; ${rounds} rounds each`,
          },
          {
            what: `rank ${rank}: memory of hush over that of dpals (less than 1 wanted)`,
            measured: memory.hush / memory.dpals,
            holds: memory.hush < memory.dpals,
            note: `beyond ratings and engine: als ${memory.als.toFixed(0)} MB, hush ${memory.hush.toFixed(0)} MB, dpals ${memory.dpals.toFixed(0)} MB`,
          },
        );
        const ials = await cpuSeconds(context, ratings, ofChoices('ials', rank));
        const choices = await cpuSeconds(context, ratings, ofChoices('hush', rank));
        findings.push({
          what: `rank ${rank}, every rating a choice: CPU time of hush over that of ials`,
          measured: choices / ials,
          holds: null,
          note: `ials ${ials.toFixed(2)} s, hush ${choices.toFixed(2)} s; ${rounds} rounds each`,
        });
      }
    } finally {
      await processes.close();
    }
    return {
      findings,
      guarantee: 'Timings and memory on generated data, with secure noise as in production.',
      sections: [
        {
          heading: 'CPU seconds and memory by rank',
          text: 'CPU: user and system time of one training, the least of three after one that is not counted. Memory: how far one training in a fresh process with one thread raises the high-water mark of resident memory above what ratings and engine take, the least of three processes.',
          table: {
            columns: ['method', 'rank', 'CPU seconds', 'megabytes'],
            rows,
          },
        },
      ],
    };
  },
};

async function cpuSeconds(
  context: ExperimentContext,
  ratings: Parameters<typeof freshProcesses>[0],
  { epsilon, ...request }: ReturnType<typeof requestOf> | ReturnType<typeof ofChoices>,
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 4; run++) {
    const before = process.cpuUsage();
    await trainModel({
      ...request,
      ratings,
      engine: context.engine,
      epsilon: epsilon ?? Infinity,
      delta: epsilon === null ? 0 : 1e-5,
      declaredPeople: ratings.userCount,
      hooks: { signal: context.signal },
    });
    const { user, system } = process.cpuUsage(before);
    if (run > 0) least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

async function megabytes(
  context: ExperimentContext,
  processes: FreshProcesses,
  name: Name,
  rank: number,
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3; run++) {
    const { before, peak } = await processes.train(requestOf(name, rank), context.signal);
    least = Math.min(least, (peak - before) / 2 ** 20);
  }
  return least;
}
