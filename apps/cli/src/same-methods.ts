import type { PlannedRun } from '@hushrec/factorize';
import type { FeatureSource } from '@hushrec/ratings';

/** A method of a comparison that is another one of them, and is measured under its name. */
export interface SameMethod {
  readonly method: string;
  readonly as: string;
}

type Planned = Pick<PlannedRun, 'settings'> & {
  readonly method: Pick<PlannedRun['method'], 'id' | 'settings' | 'sameAs'>;
};

/**
 * Of methods that are the same one with these settings and sources (see `sameAs`), the one whose name that
 * is, or else the first, is measured; the others are told. Where settings of the method that they are differ,
 * each is measured.
 */
export function measuredOnce<Compared extends { readonly planned: Planned }>(
  compared: readonly Compared[],
  schemaOf: (id: string) => PlannedRun['method']['settings'],
  sources: readonly FeatureSource[],
): { readonly measured: readonly Compared[]; readonly same: readonly SameMethod[] } {
  const groups = new Map<string, { readonly id: string; readonly members: Compared[] }>();
  for (const each of compared) {
    const { method, settings } = each.planned;
    const id = method.sameAs?.(settings, sources) ?? method.id;
    const values = Object.entries(schemaOf(id)).map(([key, schema]) => settings[key] ?? schema.default);
    const identity = JSON.stringify([id, values]);
    const group = groups.get(identity);
    if (group === undefined) groups.set(identity, { id, members: [each] });
    else group.members.push(each);
  }
  const measured: Compared[] = [];
  const same: SameMethod[] = [];
  for (const { id, members } of groups.values()) {
    const first = members.find(({ planned }) => planned.method.id === id) ?? members[0];
    measured.push(first);
    const as = first.planned.method.id;
    const others = new Set(members.map(({ planned }) => planned.method.id));
    for (const method of others) if (method !== as) same.push({ method, as });
  }
  return { measured, same };
}

/** One sentence for every method that stands for others; none where each is itself. */
export function sameMethodsText(same: readonly SameMethod[]): readonly string[] {
  return [...new Set(same.map(({ as }) => as))].map((as) => {
    const others = same.filter((each) => each.as === as).map(({ method }) => method);
    return `${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} ${as} here, for want of facts about items (--features): measured once, as ${as}.`;
  });
}
