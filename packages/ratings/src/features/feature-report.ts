/** How well a feature source covers the items of a data set. */
export interface FeatureReport {
  /** Items of the data set, and how many of them this source says nothing about. */
  readonly items: number;
  readonly itemsWithout: number;
  /** Rows about items that the data set does not have. */
  readonly unknownRows: number;
}

/** `present[item]` is 1 where the source says something about the item. */
export function reportOf(present: Uint8Array, unknownRows: number): FeatureReport {
  return {
    items: present.length,
    itemsWithout: present.reduce((sum, each) => sum + 1 - each, 0),
    unknownRows,
  };
}
