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
