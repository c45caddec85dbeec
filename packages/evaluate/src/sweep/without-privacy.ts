import { methodById } from '@hushrec/factorize';
import { type SearchRequest, searchSettings, type Tuned } from './search.js';
import { SideBySide } from './side-by-side.js';
import { epsilonsOf, runCells, type SweepCell } from './sweep.js';
import { type SweepRow, sweepRows } from './sweep-rows.js';
import { decidingMetric } from './trials.js';

/** What "without privacy" means in a comparison: the best that was measured so, chosen on validation. */
export interface WithoutPrivacy {
  readonly method: string;
  readonly metric: string;
  /** By which it was chosen. */
  readonly validation: number;
  /** On test, the mean of its runs. */
  readonly mean: number;
  /** Methods that it was chosen among. */
  readonly among: readonly string[];
  /** Private rows that are better on test all the same. */
  readonly below: readonly Pick<SweepRow, 'method' | 'epsilon' | 'mean'>[];
}

/** A comparison with its yardstick. */
export interface WithYardstick {
  readonly cells: readonly SweepCell[];
  readonly tuned: readonly Tuned[];
  /** Undefined where no method without privacy has the metric. */
  readonly withoutPrivacy?: WithoutPrivacy;
}

/**
 * Names the best of a comparison's methods without privacy, private ones at ε = ∞ among them: the one with
 * the best score on validation. Where a private model is better than it on test, its own rules do not suit
 * the data: then those that were not tuned are searched on validation with `trials` candidates each, and what
 * wins takes their place in the table.
 */
export async function bestWithoutPrivacy(
  request: SearchRequest,
  { cells, tuned }: Pick<WithYardstick, 'cells' | 'tuned'>,
): Promise<WithYardstick> {
  const open = request.methods.filter((method) => epsilonsOf(request, method).includes(Infinity));
  const sideBySide = new SideBySide(request.split.train, request.engine, request.signal);
  try {
    const scores = await validationScores(request, open, tuned, sideBySide);
    const first = yardstick(request, scores, cells);
    const untuned = open.filter(({ id }) => methodById(id).search !== undefined && !isTuned(tuned, id));
    if (first === undefined || first.below.length === 0 || untuned.length === 0)
      return { cells, tuned, ...(first && { withoutPrivacy: first }) };
    const wider = await searched(request, untuned, sideBySide);
    for (const { method, validation } of wider.tuned) scores.set(method, validation);
    const isReplaced = ({ method, nominalEpsilon }: SweepCell) =>
      nominalEpsilon === null && wider.tuned.some((each) => each.method === method);
    const all = [...cells.filter((cell) => !isReplaced(cell)), ...wider.cells];
    return {
      cells: inOrder(all, request),
      tuned: [...tuned, ...wider.tuned],
      withoutPrivacy: yardstick(request, scores, all)!,
    };
  } finally {
    await sideBySide.close();
  }
}

const isTuned = (tuned: readonly Tuned[], id: string) =>
  tuned.some(({ method, epsilon }) => method === id && epsilon === null);

/** Of one run each, or those of a search that was made. */
async function validationScores(
  request: SearchRequest,
  open: SearchRequest['methods'],
  tuned: readonly Tuned[],
  sideBySide: SideBySide,
): Promise<Map<string, number>> {
  const once = open.filter(({ id }) => !isTuned(tuned, id));
  const measured = await runCells(
    {
      ...request,
      methods: once.map((method) => ({ ...method, epsilons: [Infinity] })),
      repeats: 1,
      stage: 'validation',
    },
    sideBySide,
  );
  const scores = new Map(measured.map(({ method, metrics }) => [method, metrics[request.metric]] as const));
  for (const { method, epsilon, validation } of tuned) if (epsilon === null) scores.set(method, validation);
  return new Map([...scores].filter(([, score]) => Number.isFinite(score)));
}

async function searched(
  request: SearchRequest,
  methods: SearchRequest['methods'],
  sideBySide: SideBySide,
): Promise<{ readonly cells: SweepCell[]; readonly tuned: Tuned[] }> {
  const cells: SweepCell[] = [];
  const tuned: Tuned[] = [];
  for (const method of methods) {
    const winner = await searchSettings(request, method, Infinity, sideBySide);
    tuned.push(winner);
    const chosen = { id: method.id, settings: { ...winner.settings, ...method.settings } };
    cells.push(
      ...(await runCells({ ...request, methods: [{ ...chosen, epsilons: [Infinity] }] }, sideBySide)),
    );
  }
  return { cells, tuned };
}

function yardstick(
  request: SearchRequest,
  scores: ReadonlyMap<string, number>,
  cells: readonly SweepCell[],
): WithoutPrivacy | undefined {
  const { metric } = request;
  const sign = decidingMetric(request).better === 'smaller' ? 1 : -1;
  const [best] = [...scores].sort(([, a], [, b]) => sign * (a - b));
  const rows = sweepRows(cells).filter((row) => row.metric === metric);
  const own = rows.find(({ method, unit }) => method === best?.[0] && unit === 'none');
  if (best === undefined || own === undefined) return undefined;
  return {
    method: own.method,
    metric,
    validation: best[1],
    mean: own.mean,
    among: [...scores.keys()],
    below: rows
      .filter(({ unit, mean }) => unit !== 'none' && sign * (mean - own.mean) < 0)
      .map(({ method, epsilon, mean }) => ({ method, epsilon, mean })),
  };
}

/** As the methods of the request stand. */
function inOrder(cells: readonly SweepCell[], { methods }: SearchRequest): SweepCell[] {
  return methods.flatMap(({ id }) => cells.filter(({ method }) => method === id));
}
