import { readFile } from 'node:fs/promises';
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
    run: async ([directory], { history, k, reasons }) => {
      const { readModelFolder } = await import('@hushrec/model/folder');
      const { HistoryError, Recommender, recommendable } = await import('@hushrec/recommend');
      const { enoughWords, usefulnessWords } = await import('@hushrec/model');
      const published = await readModelFolder(directory!);
      const { manifest, certificate } = published;
      const recommender = new Recommender(recommendable(published));
      const known = new Set(manifest.itemIds);
      const text = await readFile(history, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          exitCodes.badData,
          `${history}: the history cannot be read (${error.code ?? error.message}). Give a file with lines of item,rating.`,
        );
      });
      const entries = parseHistory(text, history, known);
      const recommend = () => {
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
      };
      const result = recommend();
      const named = ({ id, title }: { readonly id: string; readonly title?: string }) =>
        title ? `${title} (${id})` : id;
      const lines = result.items.map((item, place) => {
        const because =
          item.because.length > 0
            ? `\n      because of your ratings of ${item.because.map(named).join(', ')}`
            : '';
        return `${String(place + 1).padStart(4)}  ${item.score.toFixed(3)}  ${named(item)}${because}`;
      });
      const loss = published.model.kind === 'factors' ? published.model.loss : undefined;
      return {
        json: {
          items: result.items,
          basis: result.basis,
          tooNoisy: result.tooNoisy,
          unknown: result.unknown,
        },
        text: [
          ...lines,
          loss?.kind === 'logistic' && result.basis === 'history'
            ? `Scores are chances of a rating of ${loss.likedFrom} or more.`
            : '',
          ...(result.tooNoisy && certificate.usefulness
            ? [
                usefulnessWords(certificate.usefulness),
                enoughWords(
                  certificate.usefulness,
                  certificate.epsilon,
                  certificate.delta,
                  certificate.people?.about,
                ) ?? '',
              ]
            : []),
          result.basis === 'history' || result.tooNoisy
            ? ''
            : `Nothing in the history is known to the model; ranked by ${result.basis}.`,
          result.unknown.length > 0
            ? `${result.unknown.length === 1 ? '1 item of the history is' : `${result.unknown.length} items of the history are`} unknown to the model and had no influence.`
            : '',
        ]
          .filter((line) => line !== '')
          .join('\n'),
      };
    },
  });
}
