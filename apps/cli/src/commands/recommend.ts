import { readFile } from 'node:fs/promises';
import type { PublishedModel } from '@hushrec/model';
import type { Recommendations } from '@hushrec/recommend';
import type { Command } from 'commander';
import { addCommand, integerOption } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { parseHistory } from '../history-file.js';

interface RecommendFlags {
  readonly history: string;
  readonly k: number;
  readonly reasons: number;
}

export function registerRecommend(program: Command): void {
  addCommand<RecommendFlags>(program, {
    usage: 'recommend <model>',
    summary: 'recommendations for one person, from their own history, on this machine',
    examples: [
      'hushrec recommend movies-hush --history my-ratings.csv',
      'hushrec recommend movies-hush --history my-ratings.csv -k 20 --json',
    ],
    fields: ['items (each: id score because, title where there is one)', 'basis', 'tooNoisy', 'unknown'],
    configure: (command) =>
      command
        .requiredOption(
          '--history <file>',
          'lines of item,rating (rating left out for likes), rows with user and time too, or JSON of [{"id", "rating"}]',
        )
        .option('-k, --k <n>', 'how many', integerOption('k', 1, 10_000), 10)
        .option('--reasons <n>', 'how many reasons each', integerOption('reasons', 0, 100), 3),
    run: async ([directory], flags) => {
      const { readModelFolder } = await import('@hushrec/model/folder');
      const published = await readModelFolder(directory);
      const result = await recommendTo(published, flags);
      const { items, basis, tooNoisy, unknown } = result;
      return {
        json: { items, basis, tooNoisy, unknown },
        text: [...lines(result), ...(await remarks(published, result))].join('\n'),
      };
    },
  });
}

/**
 * What the model recommends to whoever has this history. @throws CommandError, with the line that is wrong
 */
async function recommendTo(
  published: PublishedModel,
  { history, k, reasons }: RecommendFlags,
): Promise<Recommendations> {
  const { HistoryError, Recommender, recommendable } = await import('@hushrec/recommend');
  const recommender = new Recommender(recommendable(published));
  const text = await readFile(history, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.badData,
      `${history}: the history cannot be read (${error.code ?? error.message}). Give a file with lines of item,rating.`,
    );
  });
  const entries = parseHistory(text, history, new Set(published.manifest.itemIds));
  try {
    return recommender.recommend(entries, { k, reasons });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    const problem = error.message.replace(/^Line \d+ of the history /, '');
    throw new CommandError(
      exitCodes.badData,
      `${history}, line ${entries[error.line - 1]?.place ?? error.line}: it ${problem}`,
    );
  }
}

/** A line for each item, and one for its reasons. */
function lines({ items }: Recommendations): string[] {
  const named = ({ id, title }: { readonly id: string; readonly title?: string }) =>
    title ? `${title} (${id})` : id;
  return items.map((item, place) => {
    const because =
      item.because.length > 0
        ? `\n      because of your ratings of ${item.because.map(named).join(', ')}`
        : '';
    return `${String(place + 1).padStart(4)}  ${item.score.toFixed(3)}  ${named(item)}${because}`;
  });
}

/** What else to know: what scores are, how far to trust them, and what of the history was of no use. */
async function remarks(
  { model, certificate }: PublishedModel,
  { items, basis, tooNoisy, unknown }: Recommendations,
): Promise<string[]> {
  const { enoughWords, knownPeople, usefulnessWords } = await import('@hushrec/model');
  const { usefulness, epsilon, delta } = certificate;
  const loss = model.kind === 'factors' ? model.loss : undefined;
  return [
    items.length === 0 ? 'Nothing is left to recommend: every item is in the history.' : '',
    loss?.kind === 'logistic' && basis === 'history'
      ? `Scores are chances of a rating of ${loss.likedFrom} or more.`
      : '',
    ...(tooNoisy && usefulness
      ? [usefulnessWords(usefulness), enoughWords(usefulness, epsilon, delta, knownPeople(certificate)) ?? '']
      : []),
    basis === 'history' || tooNoisy
      ? ''
      : `Nothing in the history is known to the model; ranked by ${basis}.`,
    unknown.length > 0
      ? `${unknown.length === 1 ? '1 item of the history is' : `${unknown.length} items of the history are`} unknown to the model and had no influence.`
      : '',
  ].filter((line) => line !== '');
}
