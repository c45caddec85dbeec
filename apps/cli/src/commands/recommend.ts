import { readFile } from 'node:fs/promises';
import type { PublishedModel } from '@hushrec/model';
import type { HistoryOptions } from '@hushrec/ratings';
import type { ItemChoice, Recommendations, SimilarItems } from '@hushrec/recommend';
import type { Command } from 'commander';
import { addCommand, type CommandContext, integerOption, OptionError, type Outcome } from '../command.js';
import {
  addColumnsFlag,
  addQueryFlag,
  flagOf,
  importOptions,
  refuseSourceFlags,
  type SourceFlags,
} from '../data-source.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { parseHistory } from '../history-file.js';
import { addItemChoiceFlags, type ItemChoiceFlags, itemChoice } from '../item-choice-flags.js';
import type { ListsReport } from '../lists/lists-report.js';

interface RecommendFlags extends ItemChoiceFlags, Omit<SourceFlags, 'items' | 'catalogue' | 'scale'> {
  readonly history?: string;
  readonly histories?: string;
  readonly similar?: string;
  readonly out?: string;
  readonly overwrite?: boolean;
  readonly k: number;
  readonly includeSeen?: boolean;
  readonly about?: string;
  readonly threads?: number;
}

export function registerRecommend(program: Command): void {
  addCommand<RecommendFlags>(program, {
    usage: 'recommend <model>',
    summary: 'recommendations for one person or lists for everyone, on this machine; or similar items',
    examples: [
      'hushrec recommend movies-hush --history my-ratings.csv',
      'hushrec recommend movies-hush --history my-ratings.csv -k 20 --json',
      'hushrec recommend shop-hush --histories ratings.csv --out lists.parquet --only in-stock.txt',
      'hushrec recommend shop-hush --similar tea-7 --where category=tea --items items.csv',
    ],
    fields: [
      'items (each: id score because, title where there is one)',
      'basis',
      'tooNoisy',
      'sameForAll',
      'unknown',
      'with --histories: out people rows withoutHistory unknown badRows columns covered',
      'with --similar: items (each: id similarity) tooNoisy',
    ],
    configure: addRecommendFlags,
    run: async ([directory], flags, context) => {
      refuseMixed(flags);
      const { readModelFolder } = await import('@hushrec/model/folder');
      const published = await readModelFolder(directory);
      const choice = await itemChoice(flags, published.manifest.itemIds, context.say);
      if (flags.histories !== undefined) return listsOutcome(published, flags, choice, context);
      if (flags.similar !== undefined) return similarOutcome(published, flags, choice);
      const result = await recommendTo(published, flags, choice);
      const { items, basis, tooNoisy, sameForAll, unknown } = result;
      return {
        json: { items, basis, tooNoisy, sameForAll, unknown },
        text: [...lines(result), ...(await remarks(published, result))].join('\n'),
      };
    },
  });
}

function addRecommendFlags(command: Command): void {
  command
    .option(
      '--history <file>',
      'one person: lines of item,rating (rating left out for likes), rows with user and time too, or JSON: [{"id", "rating"}] or such objects line by line',
    )
    .option(
      '--histories <source>',
      'everyone in it: rows of user,item[,rating], whatever import reads, or a data set folder; needs --out',
    )
    .option('--similar <item>', 'items like this one, from the model alone')
    .option(
      '--out <file>',
      'where lists for everyone go: .parquet, .csv or .tsv, or postgres://…[?table=name] (hushrec_lists)',
    )
    .option('--overwrite', 'replace the file of --out, or the rows of its table')
    .option('-k, --k <n>', 'how many', integerOption('k', 1, 10_000), 10)
    .option('--include-seen', 'items of the history may be shown again')
    .option(
      '--about <features>',
      'what the person says about herself, for a model with features of people: woman,student; with --history or alone',
    )
    .option('--threads <n>', 'threads for --histories (all cores)', integerOption('threads', 1, 256));
  addItemChoiceFlags(command);
  addColumnsFlag(command);
  addQueryFlag(command);
}

/** @throws OptionError for anything but one question, or options that belong to another */
function refuseMixed(flags: RecommendFlags): void {
  const { history, histories, similar, out, about } = flags;
  if (about !== undefined && (histories ?? similar) !== undefined)
    throw new OptionError('--about is what one person says about herself: with --history, or alone.');
  if ([history ?? about, histories, similar].filter((each) => each !== undefined).length !== 1)
    throw new OptionError(
      'Say for whom: --history FILE or --about FEATURES for one person, --histories FILE --out LISTS for everyone, or --similar ITEM.',
    );
  if (histories !== undefined && out === undefined)
    throw new OptionError(
      '--histories: say where the lists go: --out lists.parquet, lists.csv or postgres://….',
    );
  const forLists = ['out', 'overwrite', 'threads', ...readingFlags] as const;
  const idle = histories === undefined ? forLists.find((name) => flags[name] !== undefined) : undefined;
  if (idle !== undefined) throw new OptionError(`${flagOf(idle)} is for --histories.`);
  if (similar !== undefined && flags.includeSeen === true)
    throw new OptionError('--include-seen is for histories; --similar asks for none.');
}

const readingFlags = ['columns', 'query'] as const;

async function listsOutcome(
  published: PublishedModel,
  flags: RecommendFlags,
  choice: ItemChoice,
  context: CommandContext,
): Promise<Outcome> {
  const { writeLists } = await import('../lists/write-lists.js');
  const asked = Object.fromEntries(readingFlags.map((name) => [name, flags[name]])) as SourceFlags;
  refuseSourceFlags(flags.histories!, asked);
  const { progress: _, ...reading } = await importOptions(asked, context);
  const { k, includeSeen, overwrite, threads } = flags;
  const report = await writeLists(
    published,
    {
      ...choice,
      ...{ histories: flags.histories!, out: flags.out!, k, reading: reading as HistoryOptions },
      ...(includeSeen !== undefined && { includeSeen }),
      ...(overwrite !== undefined && { overwrite }),
      ...(threads !== undefined && { threads }),
    },
    context,
  );
  const { withoutPassword } = await import('@hushrec/ratings/formats');
  const shown = { ...report, out: withoutPassword(report.out) };
  return {
    json: { ...shown, covered: false },
    text: [...(await listLines(published, shown, k)), notCovered].join('\n'),
  };
}

const notCovered =
  'Lists are made of people’s histories and are personal data: no certificate covers them. Keep them as you keep the histories.';

async function listLines(
  { certificate }: PublishedModel,
  { out, people, rows, withoutHistory, unknown, badRows }: ListsReport,
  k: number,
): Promise<string[]> {
  const { isTooNoisy } = await import('@hushrec/model/usefulness');
  const { usefulness } = certificate;
  const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  return [
    `${out}: lists of up to ${k} items for ${counted(people, 'person', 'people')}, ${counted(rows, 'row', 'rows')}.`,
    usefulness !== undefined && isTooNoisy(usefulness)
      ? 'The model is too noisy to be personal: everyone gets what is popular.'
      : '',
    withoutHistory > 0
      ? `${counted(withoutHistory, 'person has', 'people have')} nothing in the history that the model knows and got what is popular.`
      : '',
    unknown.items > 0
      ? `${counted(unknown.items, 'item is', 'items are')} unknown to the model and had no influence (${counted(unknown.rows, 'row', 'rows')}): ${unknown.first.join(', ')}${unknown.items > unknown.first.length ? ', …' : ''}.`
      : '',
    badRows > 0 ? `${counted(badRows, 'bad row was', 'bad rows were')} left out.` : '',
  ].filter((line) => line !== '');
}

async function similarOutcome(
  published: PublishedModel,
  { similar, k }: RecommendFlags,
  choice: ItemChoice,
): Promise<Outcome> {
  const { recommendable, similarItems } = await import('@hushrec/recommend');
  const result = similarItems(recommendable(published), similar!, { k, ...choice });
  return { json: result, text: similarLines(result).join('\n') };
}

function similarLines({ items, tooNoisy }: SimilarItems): string[] {
  return [
    ...items.map(
      (item, place) => `${String(place + 1).padStart(4)}  ${item.similarity.toFixed(3)}  ${named(item)}`,
    ),
    ...(items.length === 0 ? ['No item is like it: the model says nothing about it but its average.'] : []),
    ...(tooNoisy ? ['The model is mostly noise: what looks alike here may be so by chance.'] : []),
  ];
}

const named = ({ id, title }: { readonly id: string; readonly title?: string }) =>
  title ? `${title} (${id})` : id;

/**
 * What the model recommends to whoever has this history. @throws CommandError, with the line that is wrong
 */
async function recommendTo(
  published: PublishedModel,
  { history, about, k, includeSeen }: RecommendFlags,
  choice: ItemChoice,
): Promise<Recommendations> {
  const { HistoryError, Recommender, recommendable } = await import('@hushrec/recommend');
  const recommender = new Recommender(recommendable(published));
  const told = {
    k,
    includeSeen: includeSeen === true,
    ...choice,
    ...(about !== undefined && { about: about.split(',').map((name) => name.trim()) }),
  };
  if (history === undefined) return recommender.recommend([], told);
  const file = history;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      exitCodes.badData,
      `${file}: the history cannot be read (${error.code ?? error.message}). Give a file with lines of item,rating.`,
    );
  });
  const entries = parseHistory(text, file, new Set(published.manifest.itemIds));
  try {
    return recommender.recommend(entries, told);
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    const problem = error.message.replace(/^Line \d+ of the history /, '');
    throw new CommandError(
      exitCodes.badData,
      `${file}, line ${entries[error.line - 1]?.place ?? error.line}: it ${problem}`,
    );
  }
}

/** A line for each item, and one for its reasons. */
function lines({ items }: Recommendations): string[] {
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
  { items, basis, tooNoisy, sameForAll, unknown }: Recommendations,
): Promise<string[]> {
  const { enoughWords, knownPeople, usefulnessWords } = await import('@hushrec/model/usefulness');
  const { sameForAllWords } = await import('@hushrec/model/words');
  const { usefulness, epsilon, delta } = certificate;
  const loss = model.kind === 'factors' ? model.loss : undefined;
  return [
    items.length === 0 ? 'Nothing is left to recommend: every item is in the history, or left out.' : '',
    loss?.kind === 'logistic' && basis === 'history'
      ? `Scores are chances of a rating of ${loss.likedFrom} or more.`
      : '',
    ...(tooNoisy && usefulness
      ? [usefulnessWords(usefulness), enoughWords(usefulness, epsilon, delta, knownPeople(certificate)) ?? '']
      : []),
    basis === 'features'
      ? 'Ranked by the person’s features; nothing in the history is both liked and known to the model.'
      : '',
    basis === 'history' || basis === 'features' || tooNoisy
      ? ''
      : sameForAll
        ? sameForAllWords(basis)
        : `Nothing in the history is liked and known to the model; ranked by ${basis}.`,
    unknown.length > 0
      ? `${unknown.length === 1 ? '1 item of the history (or feature) is' : `${unknown.length} items of the history (or features) are`} unknown to the model and had no influence.`
      : '',
  ].filter((line) => line !== '');
}
