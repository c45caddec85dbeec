/** Methods that know nobody's taste, by what they are. */
const baselines: Readonly<Record<string, string>> = {
  popularity: 'bestseller list',
  'item-average': 'average of each title',
  'global-average': 'one average for all',
};

const shortNames: Readonly<Record<string, string>> = {
  popularity: 'bestsellers',
  'item-average': 'averages',
  'global-average': 'one average',
};

/** What knows nobody's taste, where there is little room. */
export function baselineName(method: string): string {
  return shortNames[method] ?? method;
}

/** A method without privacy, as the line at its height is called. */
export function referenceName(method: string): string {
  return baselines[method] ?? `no privacy (${method})`;
}

/** Whether it is the same for everyone. */
export function isBaseline(method: string): boolean {
  return method in baselines;
}
