import type { Goal } from '@hushrec/factorize';
import type { TrainedOn } from '@hushrec/model';
import type { Dataset, RatingMatrix } from '@hushrec/ratings';
import { type Command, Option } from 'commander';
import { integerOption, OptionError } from './command.js';

/** How ratings are divided into what is trained on and what is asked. */
export interface ProtocolFlags {
  readonly protocol?: 'holdout' | 'k-fold' | 'strong-generalization' | 'leave-one-out';
  readonly splitSeed: number;
  readonly candidates?: string;
  readonly liked?: number;
  readonly goal?: Goal;
}

/** `--goal`, for commands that train. */
export function goalOption(unless: string): Option {
  return new Option(
    '--goal <goal>',
    `what a model is for: lists (rank) or predicted ratings (stars); ${unless}`,
  ).choices(['rank', 'stars']);
}

/** Which part of the ratings, and as what. */
export function addPartFlags(command: Command, purpose: string): void {
  command
    .addOption(
      new Option('--protocol <protocol>', purpose).choices([
        'holdout',
        'k-fold',
        'strong-generalization',
        'leave-one-out',
      ]),
    )
    .option(
      '--liked <rating>',
      'turn ratings into likes: keep those of at least this much, without their value',
      Number,
    );
}

/** The same with how it is drawn. */
export function addProtocolFlags(command: Command, purpose: string): void {
  addPartFlags(command, purpose);
  command
    .option('--split-seed <n>', 'the same seed makes the same split', integerOption('split-seed', 0), 1)
    .option(
      '--candidates <all|file>',
      'leave-one-out: rank all items, or those a file of given negatives lists',
      'all',
    );
}

/**
 * Refuses flags that would change nothing.
 *
 * @throws OptionError for `--candidates` of another protocol than leave-one-out, or a split seed without one
 */
export function checkProtocolFlags({ protocol, splitSeed, candidates = 'all' }: ProtocolFlags): void {
  if (candidates !== 'all' && protocol !== 'leave-one-out')
    throw new OptionError(
      `--candidates ${candidates} is for --protocol leave-one-out${protocol === undefined ? '' : `, not for ${protocol}`}. Leave it out, or name that protocol.`,
    );
  if (splitSeed !== 1 && protocol === undefined)
    throw new OptionError(
      `--split-seed ${splitSeed} is for a split: name one with --protocol, or leave it out to train on everything.`,
    );
}

/** What is recorded in the model, so that evaluation can tell whether it was trained on the same part. */
export async function protocolRecord(flags: ProtocolFlags): Promise<TrainedOn | undefined> {
  if (flags.protocol === undefined) return flags.liked === undefined ? undefined : { liked: flags.liked };
  const { divisions } = await import('@hushrec/model/making');
  return {
    protocol: flags.protocol,
    splitSeed: flags.splitSeed,
    ...(isGiven(flags) ? {} : { division: divisions[flags.protocol] }),
    ...(flags.protocol === 'leave-one-out' && { candidates: flags.candidates ?? 'all' }),
    ...(flags.liked !== undefined && { liked: flags.liked }),
  };
}

/** Whether a file says what is held out: who made it may have looked at everybody. */
const isGiven = ({ protocol, candidates = 'all' }: ProtocolFlags) =>
  protocol === 'leave-one-out' && candidates !== 'all';

/** The ratings as given, or only likes. */
export async function ratingsFor(dataset: Dataset, flags: ProtocolFlags): Promise<RatingMatrix> {
  if (flags.liked === undefined) return dataset.ratings;
  const { likedItems } = await import('@hushrec/ratings');
  return likedItems(dataset.ratings, flags.liked);
}

/** The part of a data set that the protocol trains on; all of it without a protocol. */
export async function trainingPart(dataset: Dataset, flags: ProtocolFlags): Promise<RatingMatrix> {
  const ratings = await ratingsFor(dataset, flags);
  switch (flags.protocol) {
    case undefined:
      return ratings;
    default:
      return (await splitFor(dataset, ratings, flags)).train;
  }
}

/** The split of a protocol with a single training part. */
export async function splitFor(dataset: Dataset, ratings: RatingMatrix, flags: ProtocolFlags) {
  const { readCandidateFile, splitGivenOne, splitHoldout, splitLeaveOneOut, splitStrongGeneralization } =
    await import('@hushrec/ratings');
  const seed = flags.splitSeed;
  const named = { ...dataset, ratings };
  switch (flags.protocol) {
    case 'holdout':
      return { protocol: 'holdout', ...splitHoldout(named, { seed }) } as const;
    case 'strong-generalization':
      return { protocol: 'strong-generalization', ...splitStrongGeneralization(named, { seed }) } as const;
    case 'leave-one-out': {
      if (!isGiven(flags))
        return { protocol: 'leave-one-out', ...splitLeaveOneOut(named, { seed }) } as const;
      const given = await readCandidateFile(flags.candidates!, dataset);
      const { train, test } = splitGivenOne(ratings, given.target);
      return { protocol: 'leave-one-out', train, test, candidates: given } as const;
    }
    case 'k-fold':
      throw new OptionError(
        'k-fold trains one model per fold: use `hushrec evaluate --protocol k-fold`, which trains them.',
      );
    default:
      throw new OptionError('--protocol is needed: holdout, k-fold, strong-generalization or leave-one-out.');
  }
}
