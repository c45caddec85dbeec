/** Ids that may not be what they look like, counted; none of them is named. */
export interface DoubtfulIds {
  /**
   * Ids that differ from another one only by spaces or by the Unicode form of a letter: likely the same
   * person twice, who is then protected only half.
   */
  readonly alike: number;
  /** Words for a missing value that stand as ids (`NULL`, `NaN`): likely several people under one name. */
  readonly missing: readonly string[];
}

/** Visible ASCII alone: the id is its own plain form. Almost all are. */
const isPlain = (id: string) => /^[!-~]*$/.test(id);
/** What ids that look alike have in common. */
export const plainForm = (id: string) =>
  isPlain(id) ? id : id.normalize('NFC').replace(/\s+/gu, ' ').trim();
const missingWords: ReadonlySet<string> = new Set([
  ...['null', 'NULL', 'Null', '\\N', 'nan', 'NaN', 'NAN', 'None', 'none', 'undefined', 'N/A', 'n/a', '<NA>'],
]);

/** O(ids); what is kept grows with the ids that are not plain. */
export function doubtfulIds(ids: readonly string[]): DoubtfulIds {
  const missing = ids.filter((id) => missingWords.has(id));
  const forms = new Map<string, number>();
  for (const id of ids) if (!isPlain(id)) forms.set(plainForm(id), (forms.get(plainForm(id)) ?? 0) + 1);
  if (forms.size > 0)
    for (const id of ids) {
      const others = isPlain(id) ? forms.get(id) : undefined;
      if (others !== undefined) forms.set(id, others + 1);
    }
  let alike = 0;
  for (const count of forms.values()) alike += count - 1;
  return { alike, missing };
}
