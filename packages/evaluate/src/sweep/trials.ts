import type { SettingValues } from '@hushrec/factorize';
import { askedName, type Metric } from '../metrics/metric.js';
import { readMetric } from '../read-metrics.js';
import type { SearchRequest } from './search.js';
import type { SideBySide } from './side-by-side.js';
import { runCells, type SweepCell, type SweepRequest } from './sweep.js';

/** A metric that was to decide is not among those of the protocol. */
export class SearchMetricError extends RangeError {
  override readonly name = 'SearchMetricError';
  readonly kind = 'usage';
}

/** A candidate by its number, with the mean of its scores. */
interface Judged {
  readonly trial: number;
  readonly score: number;
}

/** Candidates of a search, scored on validation; every run has noise of its own and is done once. */
export class Trials {
  /** Trainings so far. */
  done = 0;
  readonly #request: SearchRequest;
  readonly #method: SearchRequest['methods'][number];
  readonly #epsilon: number;
  readonly #candidates: readonly SettingValues[];
  readonly #sideBySide: SideBySide;
  readonly #expected: number;
  readonly #known = new Map<string, number>();
  readonly #failures: { readonly trial: number; readonly why: string }[] = [];

  /** `expected` is how many trainings there may be, for the progress. */
  constructor(
    request: SearchRequest,
    method: SearchRequest['methods'][number],
    epsilon: number,
    candidates: readonly SettingValues[],
    sideBySide: SideBySide,
    { expected }: { readonly expected: number },
  ) {
    this.#request = request;
    this.#method = method;
    this.#epsilon = epsilon;
    this.#candidates = candidates;
    this.#sideBySide = sideBySide;
    this.#expected = expected;
  }

  /** Candidates that could not be trained, and why. */
  get failures(): readonly string[] {
    return [...this.#failures].sort((a, b) => a.trial - b.trial).map(({ why }) => why);
  }

  /** Means over so many runs of each, best first; a candidate that cannot be trained drops out. */
  async judge(trials: readonly number[], runs: number): Promise<readonly Judged[]> {
    const judged = await Promise.all(trials.map((trial) => this.#judgeOne(trial, runs)));
    const sign = decidingMetric(this.#request).better === 'smaller' ? 1 : -1;
    return judged
      .filter((each) => each !== undefined)
      .sort((a, b) => sign * (a.score - b.score) || a.trial - b.trial);
  }

  async #judgeOne(trial: number, runs: number): Promise<Judged | undefined> {
    try {
      // All runs end before one that failed counts, so that the number of trainings does not depend on the
      // threads.
      const scores = await Promise.allSettled(
        Array.from({ length: runs }, (_, again) => this.#scoreOf(trial, again)),
      );
      let sum = 0;
      for (const score of scores) {
        if (score.status === 'rejected') throw score.reason;
        sum += score.value;
      }
      return { trial, score: sum / runs };
    } catch (error) {
      this.#request.signal?.throwIfAborted();
      if (trial === 0 || error instanceof SearchMetricError) throw error; // the method's own rules must work
      const why = error instanceof Error ? error.message : String(error);
      this.#failures.push({ trial, why: `${JSON.stringify(this.#candidates[trial])}: ${why}` });
      return undefined;
    }
  }

  /** Validation score of one candidate with noise of its own: `again` counts its runs. */
  async #scoreOf(trial: number, again: number): Promise<number> {
    const before = this.#known.get(`${trial} ${again}`);
    if (before !== undefined) return before;
    const request = this.#request;
    const { id, settings } = this.#method;
    const stage = `tuning ${id} ε=${this.#epsilon}`;
    const single: SweepRequest = {
      ...request,
      methods: [{ id, settings: { ...this.#candidates[trial], ...settings } }],
      epsilons: [this.#epsilon],
      repeats: 1,
      seed: request.seed + 1_000_000 * (again + 1) + trial,
      stage: 'validation',
      progress: (run) =>
        run.done === 0 && request.progress?.({ stage, done: this.done, total: this.#expected }),
    };
    const [cell] = (await runCells(single, this.#sideBySide)) as [SweepCell];
    this.done++;
    const score = cell.metrics[request.metric];
    if (score === undefined)
      throw new SearchMetricError(
        `There is no metric "${request.metric}" on validation. Known: ${Object.keys(cell.metrics).join(', ')}. Name one of them as the metric to tune by.`,
      );
    if (!Number.isFinite(score)) throw new RangeError(`Its ${request.metric} on validation is ${score}.`);
    this.#known.set(`${trial} ${again}`, score);
    return score;
  }
}

/** One of those that were asked for, which may be someone's own, or one of the list. */
export function decidingMetric({ metric, metrics = [] }: Pick<SearchRequest, 'metric' | 'metrics'>): Metric {
  return (metrics.find((asked) => askedName(asked) === metric) ?? readMetric(metric)).metric;
}
