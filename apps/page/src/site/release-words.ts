/** Names of releases as people would put them; others keep their own, with spaces. */
const words: Readonly<Record<string, string>> = {
  'people-count': 'Number of people',
  'item-counts': 'How often each title was rated',
  'item-weights': 'How much weight each title has',
  'item-effects': 'How well each title is liked',
  'residual-variance': 'Spread of ratings',
  'level-variance': 'Spread of how high people rate',
  'taste-moment': 'Taste, all together',
  'taste-vectors': 'Taste, title by title',
  'item-statistics': 'Taste, title by title',
};

/** How the noise of each release compares with what one person could change in it, from the least ratio. */
export function noiseBesideOne(least: number): string {
  if (least < 1) return 'In some, the noise is less than what you could change.';
  return `In each, the noise is ${least < 5 ? 'more than' : 'many times'} what you could change.`;
}

export function releaseWords(name: string): string {
  const kind = name.replace(/-round-\d+$/, '');
  return words[kind] ?? kind.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
}
