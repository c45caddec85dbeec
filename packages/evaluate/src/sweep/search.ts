import { methodById, planRun, type SearchSpace, type SettingValues } from '@hushrec/factorize';
import { type DeltaInput, type EpsilonInput, gaussianEpsilon, muFor, tuningEpsilon } from '@hushrec/privacy';
import { SeededRandom } from '@hushrec/ratings';
import { drawCandidate, SearchSpaceError } from './draw-candidate.js';
import { SideBySide } from './side-by-side.js';
import { epsilonsOf, runCells, type SweepCell, type SweepRequest } from './sweep.js';
import { Trials } from './trials.js';

/** What a search found for one method at one ε. */
export interface Tuned {
  readonly method: string;
  /** null without privacy. */
  readonly epsilon: number | null;
  /** What was chosen besides the method's own rules; empty where nothing drawn beat them. */
  readonly settings: SettingValues;
  /** Its score on validation, the mean of the runs it was judged by. */
  readonly validation: number;
  /** The score of the method's own rules, the first trial, by as many runs. */
  readonly untuned: number;
  /** Candidates it chose among, the method's own rules and those that could not be trained included. */
  readonly candidates: number;
  /** Trainings it took: candidates, and what finalists were run more. */
  readonly trials: number;
  /** Candidates that could not be trained, and why. */
  readonly failures: readonly string[];
  /** What this tuning would cost had it to be private; absent without privacy. */
  readonly cost?: TuningCost;
}

/** ε of the whole search at the δ of one run, had every run's score been released with it. */
export interface TuningCost {
  /**
   * Papernot & Steinke 2022: a random number of candidates with this mean (logarithmic law), one run each,
   * only the best published.
   */
  readonly randomStopping: number;
  /** All trainings composed. */
  readonly composition: number;
}

export interface SearchRequest extends Omit<SweepRequest, 'stage'> {
  /** Candidates per method and ε, the method's own rules among them. */
  readonly trials: number;
  /**
   * So many of the best candidates, and the method's own rules, are run again before one is chosen: the best
   * of many single runs is often the luckiest. 3 unless given; 1 takes the best single run.
   */
  readonly finalists?: number;
  /**
   * How often they are run again; 2 unless given. Settings that fail in one run of four need more to be found
   * out.
   */
  readonly finalRuns?: number;
  /** Metric of validation that decides: the name of one that is measured. */
  readonly metric: string;
  /** What is searched, in place of the method's own search space. */
  readonly space?: SearchSpace;
}

/**
 * Seeded random search on validation, then the sweep itself on test with what won: test is looked at once per
 * run. Trials have noise of their own (seeds beyond those of the runs), and go through the same store, so a
 * killed search goes on. Methods without a search space (averages, popularity) run as they are.
 */
export async function runTunedSweep(
  request: SearchRequest,
): Promise<{ readonly cells: readonly SweepCell[]; readonly tuned: readonly Tuned[] }> {
  const sideBySide = new SideBySide(request.split.train, request.engine, request.signal);
  try {
    return await runTunedCells(request, sideBySide);
  } finally {
    await sideBySide.close();
  }
}

/** The same among trainings on the same ratings that others may have asked for. */
export async function runTunedCells(
  request: SearchRequest,
  sideBySide: SideBySide,
): Promise<{ readonly cells: readonly SweepCell[]; readonly tuned: readonly Tuned[] }> {
  const cells: SweepCell[] = [];
  const tuned: Tuned[] = [];
  for (const method of request.methods) {
    for (const epsilon of epsilonsOf(request, method)) {
      let { settings } = method;
      if ((request.space ?? methodById(method.id).search) !== undefined) {
        const winner = await searchSettings(request, method, epsilon, sideBySide);
        tuned.push(winner);
        settings = { ...winner.settings, ...settings };
      }
      const chosen = { ...request, methods: [{ id: method.id, settings }], epsilons: [epsilon] };
      cells.push(...(await runCells(chosen, sideBySide)));
    }
  }
  return { cells, tuned };
}

/** The best of `trials` candidates on validation for one method at one ε. */
export async function searchSettings(
  request: SearchRequest,
  method: SearchRequest['methods'][number],
  epsilon: number,
  sideBySide: SideBySide,
): Promise<Tuned> {
  const candidates = drawCandidates(request, method, epsilon);
  const finalRuns = request.finalRuns ?? 2;
  const finalists = Math.min(request.finalists ?? defaultFinalists, candidates.length);
  const trials = new Trials(request, method, epsilon, candidates, sideBySide, {
    expected: candidates.length + (finalists > 1 ? (finalists + 1) * finalRuns : 0),
  });
  let ranked = await trials.judge([...candidates.keys()], 1);
  if (finalists > 1) {
    const again = new Set([...ranked.slice(0, finalists).map(({ trial }) => trial), 0]);
    ranked = await trials.judge([...again], 1 + finalRuns);
  }
  const [winner] = ranked;
  return {
    method: method.id,
    epsilon: epsilon === Infinity ? null : epsilon,
    settings: candidates[winner.trial],
    validation: winner.score,
    untuned: ranked.find(({ trial }) => trial === 0)!.score,
    candidates: candidates.length,
    trials: trials.done,
    failures: trials.failures,
    ...(epsilon !== Infinity && { cost: tuningCost(epsilon, request.delta, request.trials, trials.done) }),
  };
}

/** Settings to try besides what was given; the first are the method's own rules. */
function drawCandidates(
  request: SearchRequest,
  method: SearchRequest['methods'][number],
  epsilon: number,
): readonly SettingValues[] {
  const space = request.space ?? methodById(method.id).search;
  if (space === undefined) throw new SearchSpaceError(method.id);
  const { train } = request.split;
  const declared = request.asIfPeople ?? request.declaredPeople;
  const shape = {
    features: request.features,
    itemCount: train.itemCount,
    scale: train.scale,
    epsilon,
    delta: epsilon === Infinity ? 0 : request.delta,
    ...(declared !== undefined && { declaredPeople: declared }),
  };
  const planned = planRun({ ...shape, method: method.id, settings: method.settings, seed: request.seed });
  const random = new SeededRandom(request.seed);
  return Array.from({ length: request.trials }, (_, trial) =>
    trial === 0
      ? {}
      : drawCandidate(
          space,
          planned.method.settings,
          planned.settings,
          method.settings,
          () => random.uniform(),
          (settings) => planned.method.idle?.(settings, shape) ?? {},
        ),
  );
}

const defaultFinalists = 3;

/**
 * What choosing among `trials` candidates by `trainings` runs would cost, each run taken as Gaussian with the
 * μ of (ε, δ). The score by which runs are compared would have to be one of the run's own releases; a method
 * that is not Gaussian costs at least as much.
 */
export function tuningCost(
  epsilon: EpsilonInput,
  delta: DeltaInput,
  trials: number,
  trainings = trials,
): TuningCost {
  const mu = muFor(epsilon, delta);
  return {
    randomStopping: tuningEpsilon(
      mu,
      { law: 'negative-binomial', shape: 0, mean: Math.max(2, trials) },
      delta,
    ),
    composition: gaussianEpsilon(mu * Math.sqrt(trainings), delta),
  };
}
