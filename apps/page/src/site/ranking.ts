import { shownEpsilon } from '@hushrec/model/words';
import { isBaseline, referenceName } from './baselines.js';
import { decidingMetric, mainMetrics, metricWords } from './metric-words.js';
import { metricsOf } from './model-metrics.js';
import { nearestToOne } from './nearest-to-one.js';
import { isUseful } from './published-now.js';
import type { Comparison, ModelSummary } from './server-interface.js';

/** Best first, by the metric that decides. */
export interface Ranking {
  readonly decides: string;
  readonly ranked: readonly Ranked[];
}

/** What can be put in order of quality. */
export interface Ranked {
  readonly name: string;
  /** Its privacy, or that it has none. */
  readonly note: string;
  readonly kind: 'guarded' | 'too-noisy' | 'open';
  readonly values: ReadonlyMap<string, number>;
  /** Share of titles that stand out from its noise; null where there is none, or it is not known. */
  readonly standsOut: number | null;
}

const without = (method: string) => (isBaseline(method) ? 'same for all' : 'no privacy');

/** Models that were measured, the best first. */
export function rankedModels(models: readonly ModelSummary[]): Ranking {
  const names = models.flatMap((model) => metricsOf(model).map(({ name }) => name));
  const feedback = models.every((model) => model.feedback === 'explicit') ? 'explicit' : 'implicit';
  return bestFirst(
    decidingMetric(feedback, names),
    models.map((model) => ({
      name: model.id,
      note: model.epsilon === null ? without(model.method) : `ε = ${shownEpsilon(model.epsilon)}`,
      kind: model.epsilon === null ? 'open' : isUseful(model) ? 'guarded' : 'too-noisy',
      values: new Map(metricsOf(model).map(({ name, value }) => [name, value])),
      standsOut: model.usefulness === null ? null : model.usefulness.itemsAboveNoise / model.usefulness.items,
    })),
  );
}

/**
 * Methods of a sweep at the ε nearest to 1, of whole people where there are any, and those without privacy.
 */
export function rankedMethods({ rows, metric: decides }: Pick<Comparison, 'rows' | 'metric'>): Ranking {
  const guarded = rows.filter(({ epsilon }) => epsilon !== null);
  const unit = guarded.some((row) => row.unit === 'user') ? 'user' : guarded[0]?.unit;
  const near = nearestToOne(guarded.filter((row) => row.unit === unit).map(({ epsilon }) => epsilon!));
  const shown = rows.filter((row) => row.epsilon === null || (row.epsilon === near && row.unit === unit));
  return bestFirst(
    decides,
    // A private method without its noise is one without privacy.
    [...new Set(shown.map(({ method, epsilon }) => JSON.stringify([method, epsilon])))].map((name) => {
      const [method, epsilon] = JSON.parse(name) as [string, number | null];
      const own = shown.filter((row) => row.method === method && row.epsilon === epsilon);
      return {
        name: epsilon === null && isBaseline(method) ? referenceName(method) : method,
        note: epsilon === null ? without(method) : `ε = ${shownEpsilon(epsilon)}`,
        kind: epsilon === null ? 'open' : 'guarded',
        values: new Map(own.map(({ metric, mean }) => [metric, mean])),
        standsOut: null,
      };
    }),
  );
}

/** What was not measured is left out, what lacks the deciding metric comes last. */
function bestFirst(asked: string, all: readonly Ranked[]): Ranking {
  const measured = all.filter(({ values }) => values.size > 0);
  const [decides = ''] = mainMetrics(
    [...new Set(measured.flatMap(({ values }) => [...values.keys()]))],
    asked,
  );
  const sign = metricWords(decides).isError ? 1 : -1;
  const value = ({ values }: Ranked) => {
    const own = values.get(decides);
    return own === undefined ? Infinity : sign * own;
  };
  return { decides, ranked: measured.toSorted((a, b) => value(a) - value(b)) };
}
