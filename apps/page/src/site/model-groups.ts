import { shownFirst } from './published-now.js';
import type { ModelSummary } from './server-interface.js';

/** Models that can be compared on one person's history: same data set, same kind of feedback. */
export interface ModelGroup {
  readonly key: string;
  /** From most to least private, those without privacy last. */
  readonly models: readonly ModelSummary[];
}

export function groupModels(models: readonly ModelSummary[]): ModelGroup[] {
  const groups = new Map<string, ModelSummary[]>();
  for (const model of models) {
    const key = `${model.account.slice(0, 16)}.${model.feedback}`;
    groups.set(key, [...(groups.get(key) ?? []), model]);
  }
  return [...groups]
    .map(([key, members]) => ({ key, models: members.toSorted(morePrivateFirst) }))
    .sort((a, b) => b.models.length - a.models.length);
}

function morePrivateFirst(a: ModelSummary, b: ModelSummary): number {
  return (a.epsilon ?? Infinity) - (b.epsilon ?? Infinity) || (a.id < b.id ? -1 : 1);
}

/**
 * The most private, the one that was asked for or is shown first (the least private where that is the same)
 * and one without privacy: the difference at a glance.
 */
export function firstChoice(models: readonly ModelSummary[], asked?: string): Set<string> {
  const guarded = models.filter(({ epsilon }) => epsilon !== null);
  const open = models.filter(({ epsilon }) => epsilon === null);
  const wanted = models.find(({ id }) => id === asked) ?? shownFirst(models);
  const picks = [
    guarded[0],
    wanted === undefined || wanted === guarded[0] || wanted.epsilon === null ? guarded.at(-1) : wanted,
    wanted?.epsilon === null ? wanted : (open.find(({ method }) => method.includes('als')) ?? open[0]),
  ];
  return new Set(picks.flatMap((model) => (model === undefined ? [] : [model.id])));
}
