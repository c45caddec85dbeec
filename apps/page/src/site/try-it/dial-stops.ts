import { isBaseline } from '../baselines.js';
import { shownFirst } from '../published-now.js';
import type { ModelSummary } from '../server-interface.js';

/** Stops that a dial has room for. */
const mostStops = 6;

/**
 * Models on the dial, from the least private to the most: at most one without privacy, one for each ε, the
 * one that is shown always among them. Where there are more than fit, the ends stay and the rest are those
 * that lie furthest apart (by ratio of ε); all others can be chosen by name.
 */
export function dialStops(models: readonly ModelSummary[], shown: string): ModelSummary[] {
  const first = [...models].sort((a, b) => Number(b.id === shown) - Number(a.id === shown));
  const open = first.find(
    ({ epsilon, method, id }) => epsilon === null && (!isBaseline(method) || id === shown),
  );
  const byEpsilon = new Map<number, ModelSummary>();
  const preferred = shownFirst(models);
  for (const model of first)
    if (
      model.epsilon !== null &&
      (!byEpsilon.has(model.epsilon) || (model === preferred && byEpsilon.get(model.epsilon)?.id !== shown))
    )
      byEpsilon.set(model.epsilon, model);
  const guarded = [...byEpsilon.values()].sort((a, b) => b.epsilon! - a.epsilon!);
  return [
    ...(open === undefined ? [] : [open]),
    ...spread(guarded, shown, mostStops - (open === undefined ? 0 : 1)),
  ];
}

/** So many of them: the ends, the one that is shown, then whichever is furthest from those chosen. */
function spread(models: readonly ModelSummary[], shown: string, most: number): readonly ModelSummary[] {
  if (models.length <= most) return models;
  const chosen = new Set([models[0], models.at(-1)!, ...models.filter(({ id }) => id === shown)]);
  const distance = (model: ModelSummary) =>
    Math.min(...[...chosen].map((other) => Math.abs(Math.log(model.epsilon! / other.epsilon!))));
  while (chosen.size < most)
    chosen.add(
      models
        .filter((model) => !chosen.has(model))
        .reduce((far, model) => (distance(model) > distance(far) ? model : far)),
    );
  return models.filter((model) => chosen.has(model));
}

/**
 * What a list is compared with: the model without privacy where this server has one for us, else the next
 * larger ε; undefined where there is none.
 */
export function referenceFor(models: readonly ModelSummary[], shown: ModelSummary): ModelSummary | undefined {
  if (shown.epsilon === null) return undefined;
  const own = shown.epsilon;
  return (
    models.find(({ epsilon, method }) => epsilon === null && !isBaseline(method)) ??
    models
      .filter(({ epsilon, unit }) => epsilon !== null && epsilon > own && unit === shown.unit)
      .sort((a, b) => a.epsilon! - b.epsilon!)[0]
  );
}
