import { trainModel } from '@hushrec/factorize';
import type { ReportSection } from '@hushrec/report';
import { mostCovarianceItems } from '../../dpals/statistics/item-covariance.js';
import { signOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureAll,
  nearly,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml100kRatings, type Task } from '../../harness/tasks.js';
import { type ComparedSet, comparedEpsilons, comparedSets } from './sets.js';

/** Everyone takes part in every step, so that noise is Gaussian and can stand for a larger population. */
const everyone = { samplingRate: 1 };
/** Candidates on validation; the best three of them, and the method's own rules, are run again. */
const search = { trials: 12, finalRuns: 2 };
const finalists = 4;
/**
 * A quick run leaves out the large sets, and methods that are far behind everywhere or the same as another;
 * it searches less.
 */
const whenQuick = {
  search: { trials: 4, finalRuns: 1 },
  methods: ['dpals', 'am-dpsgd', 'dp-svd'],
  mostForCovariance: 2500,
} as const;
/**
 * Sets of a million ratings: two thirds of the time, and other tables compare them already
 * (`hush/frontier-film-facts`, `hush/frontier-choices`).
 */
const isLarge = ({ name }: ComparedSet) => name.startsWith('ML-1M') || name === 'Gowalla';
const smallSets = comparedSets.filter((set) => !isLarge(set));
const covarianceMethods = ['dp-svd', 'dp-fw'];
const needsCovariance = (id: string) => covarianceMethods.includes(id);

/**
 * Every user-level method of the papers that is not refused (a covariance of all pairs is, beyond
 * `mostCovarianceItems`), none with public facts: without them `dp-cmf` is `dpals`,
 * and so is `am-ssp`, a second search of the same.
 */
function othersOn(itemCount: number, { quick }: Pick<ExperimentContext, 'quick'>): Contestant[] {
  const methods: Contestant[] = [
    { id: 'dpals' },
    { id: 'am-ssp' },
    { id: 'am-dpsgd', settings: everyone },
    { id: 'dp-sgd', settings: everyone },
    ...(itemCount <= (quick ? whenQuick.mostForCovariance : mostCovarianceItems)
      ? covarianceMethods.map((id) => ({ id }))
      : []),
  ];
  return methods
    .filter(({ id }) => !quick || whenQuick.methods.some((each) => each === id))
    .map((method) => ({ ...method, ...(quick ? whenQuick.search : search) }));
}

/**
 * Whether the cell is won: first, or behind by less than two standard errors of the difference, or 0.5 % of
 * RMSE, or 2 % of Recall.
 */
function holdsCell(metric: Task['metric'], own: Measured, best: Measured): boolean {
  const behind = signOf(metric) * (best.mean - own.mean);
  const tolerated = (metric === 'rmse' ? 0.005 : 0.02) * best.mean;
  return behind <= Math.max(tolerated, 2 * Math.hypot(own.error, best.error));
}

/** Of all cells: 44 of 48. */
const wanted = 44 / 48;

/** `hush` on its defaults against every user-level method, on data of every shape. */
export const frontier = frontierOn(comparedSets, {
  id: 'hush/frontier',
  title: 'hush untuned against every tuned user-level method, on six real sets and five generated ones',
  minutes: 360,
  quickMinutes: 25,
});

/** Nine sets of it, with the same runs. */
export const frontierSmall = frontierOn(smallSets, {
  id: 'hush/frontier-small',
  title: 'hush untuned against every tuned user-level method, on sets of less than a million ratings',
  minutes: 120,
  quickMinutes: 25,
});

function frontierOn(
  sets: readonly ComparedSet[],
  identity: Pick<Experiment, 'id' | 'title' | 'minutes' | 'quickMinutes'>,
): Experiment {
  return {
    ...identity,
    paper: 'this project, docs/hush.md',
    needs: [...new Set(sets.flatMap(({ needs }) => needs ?? []))],
    async run(context) {
      const compared = context.quick ? smallSets : sets;
      const repeats = context.quick ? 3 : 10;
      const inOrder = await cheapestFirst(context, compared, repeats);
      const findings: Finding[] = [];
      const sections: ReportSection[] = [];
      for (const set of inOrder) {
        const task = await set.load(context);
        const rows = await measureSet(context, set, task, repeats);
        sections.push(...frontierSections(set.name, task.metric, rows));
        const cells = comparedEpsilons.map((epsilon) => cellOf(set, task, rows, epsilon));
        for (const cell of cells) context.found?.(cell);
        findings.push(...cells);
      }
      const held = findings.filter(({ holds }) => holds).length;
      findings.push({
        what: `cells in which hush is first, or as good (at least ${Math.ceil(wanted * findings.length)} of ${findings.length} wanted)`,
        measured: held,
        holds: held >= wanted * findings.length,
      });
      return { findings, guarantee: simulations, sections };
    },
  };
}

function measureSet(context: ExperimentContext, set: ComparedSet, task: Task, repeats: number) {
  return measureAll(
    context,
    task,
    [{ id: 'hush' }, ...othersOn(task.split.train.itemCount, context)],
    comparedEpsilons,
    repeats,
    set.asIfPeople,
  );
}

function cellOf(set: ComparedSet, { metric }: Task, rows: readonly Measured[], epsilon: number): Finding {
  const own = rowOf(rows, 'hush', epsilon);
  const others = rows.filter((row) => row.name !== 'hush' && nearly(epsilon, row.epsilon));
  const better = (a: Measured, b: Measured) => signOf(metric) * (a.mean - b.mean) > 0;
  const best = others.reduce((a, b) => (better(b, a) ? b : a));
  return {
    what: `${set.name}, ε = ${epsilon}: hush, ${metric}`,
    measured: own.mean,
    holds: holdsCell(metric, own, best),
    note: `± ${own.error.toFixed(4)} (${own.runs} runs); best other ${best.name} ${best.mean.toFixed(4)} ± ${best.error.toFixed(4)}`,
  };
}

/**
 * Says how long this takes, before it does, and sorts sets by it: whoever stops this has most of its cells,
 * and goes on with the rest another day. From one training of each method on ML-100K, by the number of
 * ratings and of trainings, and by the square of items where their covariance is computed.
 */
async function cheapestFirst(
  context: ExperimentContext,
  sets: readonly ComparedSet[],
  repeats: number,
): Promise<ComparedSet[]> {
  const { trials, finalRuns } = context.quick ? whenQuick.search : search;
  const perCell = trials + (finalists - 1) * finalRuns + repeats;
  const small = (await ml100kRatings(context)).split.train;
  const seconds = new Map<string, number>();
  for (const contestant of [{ id: 'hush' } as Contestant, ...othersOn(0, context)])
    seconds.set(contestant.id, await secondsOf(context, small, contestant));
  let trainings = 0;
  const costs = new Map<ComparedSet, number>();
  for (const set of sets) {
    const { itemCount, byUser } = (await set.load(context)).split.train;
    const more = byUser.indices.length / small.byUser.indices.length;
    const moreItems = itemCount / small.itemCount;
    let cost = 0;
    for (const { id } of [{ id: 'hush' }, ...othersOn(itemCount, context)]) {
      const cells = comparedEpsilons.length * (id === 'hush' ? repeats : perCell);
      trainings += cells;
      cost += cells * seconds.get(id)! * (needsCovariance(id) ? Math.max(more, moreItems ** 2) : more);
    }
    costs.set(set, cost);
  }
  const hours = [...costs.values()].reduce((sum, each) => sum + each, 0) / 3600;
  context.progress(
    `${trainings} trainings, about ${hours.toFixed(1)} CPU hours (finished ones are not run again)`,
    0,
    trainings,
  );
  return [...sets].sort((a, b) => costs.get(a)! - costs.get(b)!);
}

/** Processor seconds of one training. */
async function secondsOf(
  { engine, seed, signal }: ExperimentContext,
  ratings: Task['split']['train'],
  { id, settings = {} }: Contestant,
): Promise<number> {
  const before = process.cpuUsage();
  await trainModel({
    method: id,
    settings,
    ratings,
    engine,
    epsilon: 5,
    delta: 1e-5,
    seed,
    hooks: { signal },
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
