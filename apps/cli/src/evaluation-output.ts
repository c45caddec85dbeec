import type { RatingScale } from '@hushrec/ratings';
import type { CommandContext, Outcome } from './command.js';

type Metrics = Readonly<
  Record<string, { readonly value: number; readonly low: number; readonly high: number }>
>;

/** What was measured of a model. */
export interface MeasuredModel {
  readonly protocol: string;
  readonly metrics: Metrics;
  readonly slices: readonly { readonly slice: number; readonly items: number; readonly metrics: Metrics }[];
}

/**
 * Figures measured on people's ratings are statistics about people that no certificate covers. They go into
 * the folder that anyone may hold only where nobody is protected anyway (no guarantee, or a simulation);
 * else, when asked for, beside it.
 */
export async function saveMetrics(
  directory: string,
  certificate: { readonly epsilon: number | null; readonly simulation: boolean },
  result: MeasuredModel & { readonly retrained: boolean; readonly account: string },
  save: boolean | undefined,
  { say }: CommandContext,
): Promise<void> {
  const protects = certificate.epsilon !== null && !certificate.simulation;
  if (save === undefined && protects)
    say(
      'Metrics were not saved: these figures are a look at private ratings that the certificate does not cover. --save keeps them beside the model folder, for its operators.',
    );
  if (!(save ?? !protects)) return;
  const { writeMetrics } = await import('@hushrec/model/folder');
  // NaN (a slice without ratings) is null in JSON.
  const content = JSON.parse(JSON.stringify(result)) as unknown;
  await writeMetrics(directory, content).then(
    (file) => say(`Metrics are in ${file}.`),
    (error: NodeJS.ErrnoException) => say(`Metrics could not be saved (${error.code ?? error.message}).`),
  );
}

/** Values with their intervals, what needs a word of explanation, and the first that is known by slices. */
export async function evaluationOutcome(
  result: MeasuredModel,
  extra: { readonly retrained: boolean; readonly liked?: number },
  /** The scale of the ratings that were predicted; absent where all items were ranked. */
  predicted: RatingScale | undefined,
): Promise<Outcome> {
  const { likedFrom } = await import('@hushrec/ratings');
  const ranksLiked =
    predicted !== undefined && Object.keys(result.metrics).some((name) => name.includes('@'));
  const width = Math.max(...Object.keys(result.metrics).map((name) => name.length));
  const line = ([name, { value, low, high }]: [string, Metrics[string]]) =>
    `  ${name.padEnd(width)}  ${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
  const sliced = Object.keys(result.metrics).find((name) =>
    result.slices.some(({ metrics }) => name in metrics),
  );
  return {
    json: { ...result, ...extra },
    text: [
      `Protocol ${result.protocol}${extra.retrained ? ', models trained for it' : ''}; 95% intervals over people:`,
      ...Object.entries(result.metrics).map(line),
      ...(ranksLiked
        ? [
            `Ranking: of all items outside a person's history, how well those stand that the person then rated ${likedFrom(predicted)} or more.`,
          ]
        : []),
      ...(extra.liked === undefined
        ? []
        : [
            `What counts is what a person rated ${extra.liked} or more; everything rated before is left out of the lists.`,
          ]),
      ...('auc' in result.metrics
        ? [
            'auc: of two held-out items that a person judged differently, how often the better liked one is put first; 0.5 says nothing.',
          ]
        : []),
      ...(sliced === undefined
        ? []
        : [
            `${sliced} by popularity of the item (slice 0 holds the rarest):`,
            ...result.slices.map(({ slice, items, metrics }) => {
              const estimate = metrics[sliced];
              return `  ${slice}  ${String(items).padStart(6)} items  ${estimate === undefined || Number.isNaN(estimate.value) ? 'no ratings' : estimate.value.toFixed(4)}`;
            }),
          ]),
    ].join('\n'),
  };
}
