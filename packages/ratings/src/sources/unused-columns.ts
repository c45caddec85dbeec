import { ImportOptionError } from '../bad-data-error.js';
import type { EventChoice } from './event-filter.js';
import type { NamedColumns } from './named-columns.js';

/** Rows whose values say what a column holds. */
export const sampledRows = 1000;

const plainName = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '');

/** Columns that say how often or how much. */
const amountName =
  /^(?:num|number|total|n)?(?:ofthe|of)?(?:plays?|playcounts?|counts?|listens?|listencount|views?|viewcount|clicks?|visits?|purchases?|orders?|quantity|qty|amount|weights?|confidence|frequency|freq|hours|minutes|seconds|duration|watchtime|interactions?|strength)$/;
/** Columns that say for or against. */
const voteName =
  /^(?:is|has|was|user)?(?:thumbs?(?:up|down)?|(?:up|down)?votes?d?|likes?d?|dislikes?d?|click(?:ed)?|bought|purchased|converted|favou?rited?|reaction|sentiment)$/;
/** Columns that say what happened. */
const eventName = /^(?:event|action|behaviou?r|interaction|activity)(?:types?|kinds?|names?)?s?$/;

/** What votes look like: numbers, truth values, words. The order of a pair is against, for. */
const votePairs = [
  ['-1', '1'],
  ['0', '1'],
  ['false', 'true'],
  ['f', 't'],
  ['no', 'yes'],
  ['n', 'y'],
  ['down', 'up'],
  ['dislike', 'like'],
  ['disliked', 'liked'],
  ['negative', 'positive'],
] as const;
const voteWords: ReadonlySet<string> = new Set([...votePairs.flat(), '+1', '-1.0', '0.0', '1.0']);

const eventWords: ReadonlySet<string> = new Set(
  (
    'view viewed pageview detail impression click clicked cart addtocart basket addtobasket removefromcart ' +
    'wishlist buy bought purchase purchased order ordered transaction checkout rent return refund play pause ' +
    'skip stream download search share bookmark fav favorite save like dislike pv'
  ).split(' '),
);

type Meaning = 'amount' | 'vote' | 'event';

/** What a column holds that changes what a row means, by its name and its first values; else undefined. */
function meaningOf(name: string, values: readonly string[]): Meaning | undefined {
  const plain = plainName(name);
  const different = new Set(
    values.map((value) => value.trim().toLowerCase()).filter((value) => value !== ''),
  );
  // With separators of thousands, too: 1,024 and 1'024.
  const isNumeric = [...different].every((value) => !Number.isNaN(Number(value.replace(/[,'’ ]/g, ''))));
  const isVote = different.size > 0 && [...different].every((value) => voteWords.has(value));
  const isFew = different.size > 0 && different.size <= 50 && !isNumeric;
  if (
    isFew &&
    !isVote &&
    (eventName.test(plain) || [...different].some((value) => eventWords.has(plainName(value))))
  )
    return 'event';
  if (amountName.test(plain) && isNumeric && !(isVote && different.size > 1)) return 'amount';
  if (isVote || voteName.test(plain)) return 'vote';
  return eventName.test(plain) ? 'event' : undefined;
}

/**
 * Names of the columns that nothing is read from. Where there is no rating and one of them says how much
 * (play counts), for or against (thumbs, clicked or not) or what happened (view, cart, buy), that is refused:
 * to drop it would make a like of every row, votes against an item among them. What becomes of it is the
 * user's to say. It is recognised by its name or by the first rows, which decides about a refusal and never
 * about a scale.
 *
 * @param valuesOf values of a column in the first rows
 */
export function unusedColumns(
  available: readonly string[],
  columns: NamedColumns,
  columnsGiven: boolean,
  valuesOf: (column: string) => readonly string[],
): string[] {
  const used = Object.values(columns);
  const unused = available.filter((name) => !used.includes(name));
  if (columns.rating === undefined && !columnsGiven)
    for (const name of unused) {
      const values = valuesOf(name);
      const meaning = meaningOf(name, values);
      if (meaning !== undefined)
        throw new ImportOptionError('columns', unreadMessage(name, meaning, values, columns));
    }
  return unused.map((name) => name.trim()).filter((name) => name !== '');
}

function unreadMessage(
  name: string,
  meaning: Meaning,
  values: readonly string[],
  { user, item, time }: NamedColumns,
): string {
  const shown = name.slice(0, 40);
  const columns = (rating: string) =>
    `--columns ${[user, item, rating, ...(time === undefined ? [] : [time])].join(',')}`;
  const left = `${columns('-')} leaves it out (every pair counts 1`;
  const seen = new Set(
    values.map((value) => value.trim().toLowerCase().replace(/^\+/, '').replace(/\.0$/, '')),
  );
  switch (meaning) {
    case 'amount':
      return (
        `There is no rating, and the column "${shown}" says how much. Say what it is: ${left}); ` +
        `${columns(name)} --scale 1:1000000:1 keeps it, and \`train --liked 5\` then learns from pairs of at least 5.`
      );
    case 'vote': {
      const [, yes] = votePairs.find((pair) => pair.some((word) => seen.has(word))) ?? votePairs[1];
      const scale = seen.has('-1') ? (seen.has('0') ? '-1:1:1' : '-1:1:2') : '0:1:1';
      return (
        `There is no rating, and the column "${shown}" says for or against. Say what it is: ` +
        `${columns(name)} --scale ${scale} reads it as votes, for and against; ` +
        `--events ${name}=${yes} keeps the rows with ${yes} as likes and no others; ${left}, votes against an item too).`
      );
    }
    case 'event': {
      const known = [...seen].filter((value) => eventWords.has(plainName(value))).slice(0, 4);
      const example = known.at(-1) ?? 'buy';
      return (
        `There is no rating, and the column "${shown}" says what happened${known.length > 0 ? ` (${known.join(', ')})` : ''}. Say which events count: ` +
        `--events ${name}=${example} keeps these rows and no others (several: ${name}=buy,cart); ${left}, whatever happened).`
      );
    }
    default:
      return meaning satisfies never;
  }
}

/**
 * The column that `--events` is about.
 *
 * @throws ImportOptionError where there is none, with the columns there are
 */
export function eventColumn(
  { column, keep }: EventChoice,
  available: readonly string[],
  valuesOf: (column: string) => readonly string[],
): string {
  const found =
    column === undefined
      ? (available.find((name) => eventName.test(plainName(name))) ??
        available.find((name) => meaningOf(name, valuesOf(name)) === 'event'))
      : (available.find((name) => name.trim() === column) ??
        (/^[1-9][0-9]*$/.test(column) ? available[Number(column) - 1] : undefined));
  if (found !== undefined) return found;
  const names = available.slice(0, 12).map((name) => `"${name.slice(0, 40)}"`);
  throw new ImportOptionError(
    'events',
    `${column === undefined ? 'No column says by its name what happened' : `There is no column "${column.slice(0, 40)}" of events`}; there are ${names.join(', ')}. Name it: --events COLUMN=${keep.join(',')}.`,
  );
}
