import { once } from '@hushrec/evaluate';
import { trainModel } from '@hushrec/factorize';
import { shareOut, simulatedPresence, simulateRun } from '@hushrec/federate';
import { createEngine, type Engine } from '@hushrec/numerics';
import { SeededRandom } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../../../harness/experiment.js';
import { ml1mRatings, type Task } from '../../../harness/tasks.js';

const delta = 1e-5;

/** Who is believed, and what that makes of the noise. */
interface Trust {
  readonly name: string;
  /** Participants; absent for one curator who trains centrally. */
  readonly participants?: number;
  readonly aggregators?: number;
  readonly noiseBy?: 'aggregators' | 'parties';
  readonly honestNeeded?: number;
  /** Share of participants that is absent at each exchange, drawn anew each time. */
  readonly absent?: number;
  /** Share of participants that is never there. */
  readonly leftOut?: number;
  /** Most that may be lost against one curator at ε = 5, where a bar is set. */
  readonly bar?: number;
}

const arrangements: readonly Trust[] = [
  { name: 'one curator' },
  {
    name: 'ten parties, any eight honest',
    participants: 10,
    aggregators: 2,
    noiseBy: 'parties',
    honestNeeded: 8,
    bar: 0.005,
  },
  { name: 'three aggregators, any two honest', participants: 10, aggregators: 3, honestNeeded: 2 },
  { name: 'two aggregators, any one honest', participants: 10, aggregators: 2, honestNeeded: 1, bar: 0.015 },
  {
    name: 'two aggregators, 30 % absent at each exchange',
    participants: 50,
    aggregators: 2,
    honestNeeded: 1,
    absent: 0.3,
  },
  {
    name: 'two aggregators, 30 % of people never there',
    participants: 50,
    aggregators: 2,
    honestNeeded: 1,
    leftOut: 0.3,
  },
];

/**
 * Most that absence at each exchange, by others every time, may lose at ε = 5 against as few people who are
 * always there.
 */
const absenceBar = 0.01;

/**
 * What it costs not to trust one curator: `hush` on MovieLens 1M over the whole protocol, all roles in one
 * process.
 */
export const price: Experiment = {
  id: 'federated/price',
  title: 'What not trusting one curator costs',
  paper: 'this project, docs/federated.md',
  needs: ['ml-1m'],
  minutes: 10,
  async run(context) {
    const task = await ml1mRatings(context);
    const seeds = context.quick ? [1, 2] : Array.from({ length: 10 }, (_, seed) => seed + 1);
    const epsilons = [5, 1, 20];
    // Participants compute with this kernel, so that everybody gets the same bits; the curator does too, for
    // a fair comparison.
    const engine = await createEngine({ kernel: 'simd', threads: 1 });
    const rows: (string | number)[][] = [];
    const findings: Finding[] = [];
    try {
      for (const epsilon of epsilons) {
        // Ten seeds decide at ε = 5; elsewhere two show the shape.
        const used = epsilon === 5 ? seeds : seeds.slice(0, 2);
        const means = new Map<Trust, number>();
        const curator = await meanOf(context, task, engine, arrangements[0], epsilon, used);
        for (const trust of arrangements) {
          const { mean, error } = await meanOf(context, task, engine, trust, epsilon, used);
          const lost = mean - curator.mean;
          means.set(trust, mean);
          rows.push([trust.name, epsilon, mean, error, lost, used.length]);
          if (trust === arrangements[0]) continue;
          const isBar = trust.bar !== undefined && epsilon === 5;
          findings.push({
            what: `ε = ${epsilon}: RMSE lost by ${trust.name}${isBar ? ` (at most ${trust.bar} wanted)` : ''}`,
            measured: lost,
            holds: isBar ? lost <= trust.bar : null,
            note: `${mean.toFixed(4)} ± ${error.toFixed(4)} against ${curator.mean.toFixed(4)} ± ${curator.error.toFixed(4)}, ${used.length} seeds`,
          });
        }
        const [always, atTimes] = ['leftOut', 'absent'].map(
          (kind) =>
            means.get(arrangements.find((trust) => trust[kind as 'leftOut' | 'absent'] !== undefined)!)!,
        );
        findings.push({
          what: `ε = ${epsilon}: RMSE lost by absence at each exchange against as few people who are always there${epsilon === 5 ? ` (at most ${absenceBar} wanted)` : ''}`,
          measured: atTimes - always,
          holds: epsilon === 5 ? atTimes - always <= absenceBar : null,
          note: `${atTimes.toFixed(4)} against ${always.toFixed(4)}, ${used.length} seeds`,
        });
      }
    } finally {
      await engine.close();
    }
    return {
      findings,
      guarantee:
        'Unit: one person, add or remove; (ε, 1e-5) against everyone but those named as honest. All runs are seeded simulations of the whole protocol in one process.',
      sections: [
        {
          heading: 'RMSE by whom one has to believe',
          text: 'MovieLens 1M, 80/10/10, hush on its defaults for the noise that lies on the sums; mean over seeds of noise, with its standard error.',
          table: {
            columns: ['arrangement', 'ε', 'RMSE', 'standard error', 'lost', 'seeds'],
            rows,
          },
        },
      ],
    };
  },
};

async function meanOf(
  context: ExperimentContext,
  task: Task,
  engine: Engine,
  trust: Trust,
  epsilon: number,
  seeds: readonly number[],
): Promise<{ readonly mean: number; readonly error: number }> {
  const values: number[] = [];
  for (const [done, seed] of seeds.entries()) {
    context.signal.throwIfAborted();
    context.progress(`ε ${epsilon}: ${trust.name}`, done, seeds.length);
    const key = { experiment: 'federated/price 3', trust, epsilon, seed, split: context.seed };
    values.push(await once(context.store, key, () => rmseOf(task, engine, trust, epsilon, seed)));
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

async function rmseOf(
  task: Task,
  engine: Engine,
  trust: Trust,
  epsilon: number,
  seed: number,
): Promise<number> {
  const { train } = task.split;
  const { participants, absent = 0, leftOut = 0 } = trust;
  const declaredPeople = task.declaredPeople;
  const request = { method: 'hush', epsilon, delta, declaredPeople, seed };
  if (participants === undefined) {
    const { model } = await trainModel({ ...request, ratings: train, engine });
    return measured(task, model);
  }
  const dealing = new SeededRandom(seed);
  const run = await simulateRun(
    {
      ...request,
      shares: shareOut(train, 'item', participants, () => dealing.uniform())
        .slice(0, Math.round(participants * (1 - leftOut)))
        .map(({ ratings }) => ratings),
      kept: 'many-people',
      aggregatorCount: trust.aggregators ?? 2,
      noise: { by: trust.noiseBy ?? 'aggregators', honestNeeded: trust.honestNeeded ?? 1 },
      leastReports: trust.noiseBy === 'parties' ? participants : 1,
      ...(absent > 0 && { present: simulatedPresence(seed, absent) }),
      publicSeed: seed,
      codeVersion: 'experiment',
    },
    { engine },
  );
  return measured(task, run.replayed.model);
}

async function measured(task: Task, model: Parameters<Task['split']['evaluate']>[0]): Promise<number> {
  const { metrics } = await task.split.evaluate(model, { stage: 'test' });
  return metrics['rmse'].value;
}
