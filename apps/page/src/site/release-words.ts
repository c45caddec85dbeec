/** Names of releases as people would put them; others keep their own, with spaces. */
const words: Readonly<Record<string, string>> = {
  'people-count': 'Number of people',
  'item-counts': 'How often each title was rated',
  'item-weights': 'How much say each title has',
  'item-effects': 'How well each title is liked',
  'residual-variance': 'Spread of ratings',
  'taste-moment': 'Taste, all together',
  'taste-vectors': 'Taste, title by title',
  'item-statistics': 'Taste, title by title',
};

export function releaseWords(name: string): string {
  const kind = name.replace(/-round-\d+$/, '');
  return words[kind] ?? kind.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
}
