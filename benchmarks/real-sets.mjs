/** Names of functions of the experiments' tasks. */
export const ratingSets = [
  ...['ml100kRatings', 'ml1mRatings', 'amazonRatings', 'filmTrustRatings', 'jesterRatings'],
  ...['doubanRatings', 'flixsterRatings', 'coatRatings'],
];
export const choiceSets = [
  ...['ml1mLikes', 'amazonChoices', 'filmTrustLikes', 'lastFmChoices', 'gowallaVisits', 'doubanLikes'],
  'flixsterLikes',
];

/** One of them, split by a seed; `tasks` and `engine` of whichever state of the code is measured. */
export function taskOf({ tasks, engine }, name, seed) {
  const { signal } = new AbortController();
  return tasks[name]({
    data: process.env.HUSHREC_DATA,
    engine,
    quick: false,
    seed,
    progress() {},
    signal,
  });
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of several splits and its standard error. */
export function withError(values, digits) {
  const around = mean(values);
  const variance =
    values.reduce((sum, value) => sum + (value - around) ** 2, 0) / Math.max(1, values.length - 1);
  return `${around.toFixed(digits)} ± ${Math.sqrt(variance / values.length).toFixed(digits)}`;
}
