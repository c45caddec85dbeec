import {
  runCells,
  runSweep,
  runTunedCells,
  SideBySide,
  type SweepCell,
  type SweepRequest,
  type SweepRow,
  sweepRows,
  type Tuned,
} from '@hushrec/evaluate';
import type { SearchSpace } from '@hushrec/factorize';
import { type Average, averageOf } from './compare-rows.js';
import type { ExperimentContext } from './experiment.js';
import type { Task } from './tasks.js';

/**
 * The population whose noise-to-signal ratio ML-1M stands in for: that of ML-10M, on which the papers report.
 */
export const papersPeople = 69_878;

/** One line of a comparison: a method with settings, tuned or not. */
export interface Contestant {
  readonly id: string;
  /** How it is called in tables; its id unless given. */
  readonly name?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Candidates of the search on validation; absent: not tuned. */
  readonly trials?: number;
  /** How often the best of them are run again before one is chosen; see `SearchRequest`. */
  readonly finalRuns?: number;
  /** How many of the best are run again; 3 unless given. */
  readonly finalists?: number;
  /** What is searched, in place of the method's own search space. */
  readonly search?: SearchSpace;
  /** Whether it is given the public features of the task. */
  readonly features?: boolean;
}

export interface Measured extends SweepRow {
  readonly name: string;
  /** Standard error of the mean. */
  readonly error: number;
  /** Mean of the metric by groups of equally many items, rarest first; empty where the protocol has none. */
  readonly slices: readonly Average[];
  readonly tuned?: Tuned;
}

/** What a sweep is asked for one contestant. */
function requestFor(
  context: ExperimentContext,
  task: Task,
  { id, name = id, settings = {}, features = false }: Contestant,
  epsilons: readonly number[],
  repeats: number,
  asIfPeople?: number,
): SweepRequest {
  return {
    split: task.split,
    features: features ? task.features : [],
    methods: [{ id, settings }],
    epsilons,
    delta: task.delta ?? 1e-5,
    repeats,
    seed: context.seed,
    engine: context.engine,
    declaredPeople: task.declaredPeople,
    ...(asIfPeople !== undefined && { asIfPeople }),
    identity: `${task.name}, split ${context.seed}`,
    store: context.store,
    progress: ({ stage, done, total }) => context.progress(`${task.name}: ${name}: ${stage}`, done, total),
    signal: context.signal,
  };
}

/** Test figures of one contestant on one task at several ε (true, at the δ of the task), mean over runs. */
export async function measureTask(
  context: ExperimentContext,
  task: Task,
  contestant: Contestant,
  epsilons: readonly number[],
  repeats: number,
  asIfPeople?: number,
): Promise<Measured[]> {
  const sideBySide = new SideBySide(task.split.train, context.engine, context.signal);
  try {
    return await measureAmong(
      sideBySide,
      requestFor(context, task, contestant, epsilons, repeats, asIfPeople),
      task,
      contestant,
    );
  } finally {
    await sideBySide.close();
  }
}

/** One contestant at one ε, among trainings on the same ratings that others have asked for. */
async function measureAmong(
  sideBySide: SideBySide,
  request: SweepRequest,
  task: Task,
  contestant: Contestant,
): Promise<Measured[]> {
  const { id, name = id, trials, finalRuns = 2, finalists, search } = contestant;
  const { cells, tuned } =
    trials === undefined
      ? { cells: await runCells(request, sideBySide), tuned: [] }
      : await runTunedCells(
          {
            ...request,
            trials,
            finalRuns,
            metric: task.metric,
            ...(finalists !== undefined && { finalists }),
            ...(search && { space: search }),
          },
          sideBySide,
        );
  return sweepRows(cells, [task.metric]).map((row) => {
    const found = tuned.find(({ epsilon }) => epsilon === null || nearly(epsilon, row.epsilon));
    return {
      ...row,
      name,
      error: row.sd / Math.sqrt(row.runs),
      slices: sliceMeans(cells, row),
      ...(found && { tuned: found }),
    };
  });
}

/** The metric of one contestant on validation at one ε, in one run with noise of its own. */
export async function onValidation(
  context: ExperimentContext,
  task: Task,
  contestant: Contestant,
  epsilon: number,
  asIfPeople?: number,
): Promise<number> {
  const request = requestFor(context, task, contestant, [epsilon], 1, asIfPeople);
  const [cell] = await runSweep({ ...request, seed: context.seed + 1_000_000, stage: 'validation' });
  return cell.metrics[task.metric];
}

/** The same for several contestants, one after the other. */
export async function measureAll(
  context: ExperimentContext,
  task: Task,
  contestants: readonly Contestant[],
  epsilons: readonly number[],
  repeats: number,
  asIfPeople?: number,
): Promise<Measured[]> {
  const rows: Measured[] = [];
  for (const contestant of contestants)
    rows.push(...(await measureTask(context, task, contestant, epsilons, repeats, asIfPeople)));
  return rows;
}

/** One contestant at one ε with the noise of one population; its own where none is given. */
export interface Line {
  readonly contestant: Contestant;
  readonly epsilon: number;
  readonly asIfPeople?: number;
}

/**
 * The same for many lines at a time: searches of several lines keep all threads busy where the few candidates
 * of one would not. Rows are in the order of the lines.
 */
export async function measureTogether(
  context: ExperimentContext,
  task: Task,
  lines: readonly Line[],
  repeats: number,
): Promise<Measured[]> {
  const sideBySide = new SideBySide(task.split.train, context.engine, context.signal);
  let done = 0;
  try {
    const rows = await Promise.all(
      lines.map(async ({ contestant, epsilon, asIfPeople }) => {
        const { progress: _, ...request } = requestFor(
          context,
          task,
          contestant,
          [epsilon],
          repeats,
          asIfPeople,
        );
        const measured = await measureAmong(sideBySide, request, task, contestant);
        const what = `${contestant.name ?? contestant.id}, ε = ${epsilon}`;
        context.progress(`${task.name}: ${what} done`, ++done, lines.length);
        return measured;
      }),
    );
    return rows.flat();
  } finally {
    await sideBySide.close();
  }
}

function sliceMeans(cells: readonly SweepCell[], { epsilon, metric }: SweepRow): Average[] {
  const own = cells.filter((cell) => cell.epsilon === epsilon);
  return (own[0]?.slices ?? []).map((_, slice) =>
    averageOf(own.map(({ slices }) => slices[slice]?.[metric] ?? Number.NaN).filter(Number.isFinite)),
  );
}

/** ε of a row is the true one, rounded up: it may differ from the one asked for in the last digits. */
export function nearly(asked: number, epsilon: number | null): boolean {
  return epsilon !== null && Math.abs(epsilon - asked) < 1e-3 * asked;
}

/** Mean of one contestant at one ε; null for one without privacy. */
export function rowOf(rows: readonly Measured[], name: string, epsilon: number | null): Measured {
  const row = rows.find(
    (each) =>
      each.name === name && (epsilon === null ? each.epsilon === null : nearly(epsilon, each.epsilon)),
  );
  if (row === undefined) throw new RangeError(`There is no row of ${name} at ε = ${epsilon}.`);
  return row;
}

export const simulations =
  'Unit: one person, add or remove; item vectors are released, people’s vectors stay with them; (ε, δ) with δ = 1e-5, or 8e-6 on ML-20M as in the paper, exactly composed. All runs are seeded simulations. Methods that are tuned are tuned on validation without charge; hush runs on its defaults. “As if N people” multiplies the per-person budget by N over the true number and is no guarantee for this data.';
