import { type Goal, goals, methodById, type Progress } from '@hushrec/factorize';
import type { Certificate } from '@hushrec/model';
import type { SigningKey } from '@hushrec/model/signing';
import type { Accounting, DeltaInput, EpsilonInput } from '@hushrec/privacy';
import {
  type Announcement,
  makeRun,
  planTraining,
  type RememberRequest,
  type RunIntent,
  type TrainedAndPublished,
  type TrainingRun,
} from '@hushrec/train';
import { loadPapers } from '@hushrec/train/load-papers';
import { loadPlugin } from '@hushrec/train/load-plugins';
import { checkRequest, expectedDelta, expectedEpsilon } from '../check-request.js';
import { OptionError, usualDelta } from '../command.js';
import { today } from '../duration.js';
import { knownDatasetFolder } from '../imported-folder.js';
import { checkMemory } from '../memory-option.js';
import { isPlanHash, publishRequest } from '../publish-request.js';
import { trainingSource } from '../training-source.js';
import {
  callback,
  checkName,
  checkOptions,
  finiteNumber,
  flag,
  name,
  names,
  type OptionShape,
  oneOf,
  option,
  signal,
  text,
  wholeNumber,
} from './checked-options.js';

/** How a model is trained. What is left out is what `hushrec train` takes when nothing is said. */
export interface TrainOptions extends RunIntent {
  /** Name of a method, `hush` unless given; `npx hushrec methods` lists them. */
  readonly method?: string;
  /**
   * Privacy bound ε of the whole run, a number above 0. Methods that protect someone need one: no privacy has
   * to be asked for, by `Infinity` (trains them without noise) or by naming a method without privacy.
   */
  readonly epsilon?: EpsilonInput;
  /** Probability δ with which the bound may fail; 1e-6 unless given. */
  readonly delta?: DeltaInput;
  /**
   * Files or packages with methods of your own (`export const methods`). Their code runs in this process,
   * beside the ratings, and the certificate names them.
   */
  readonly plugins?: readonly string[];
  /** Settings of the method, by name. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Declared, public figure for the number of people: better default settings. */
  readonly people?: number;
  /**
   * What the model is for: lists (`rank`), or predicted ratings (`stars`). `hush` makes lists unless told
   * otherwise, from grades; other methods keep what they learn, and make lists from likes.
   */
  readonly goal?: Goal;
  /** Learn from choices: ratings of at least this much, without their value. */
  readonly liked?: number;
  /** Files of public features, each of the kind in the same place of `kinds` (categorical unless given). */
  readonly features?: readonly string[];
  readonly kinds?: readonly ('categorical' | 'similarity' | 'public-ratings')[];
  /** The model folder to write; beside the data set, named after it and the method, unless given. */
  readonly out?: string;
  /** Makes the run a simulation: repeatable, protecting nobody, charged to nobody. */
  readonly seed?: number;
  readonly accounting?: Accounting;
  readonly signingKey?: SigningKey;
  /** The ledger, a SQLite file or `postgres://` address; that of this user of the machine unless given. */
  readonly ledger?: string;
  /** Make an empty ledger where `ledger` says, if there is none. */
  readonly newLedger?: boolean;
  readonly threads?: number;
  /** Bytes: keeps people on disk and reads them in blocks, to train within about this much memory. */
  readonly memory?: number;
  /** Hash of the plan that was shown, as `plan()` has it: another one is refused before the charge. */
  readonly planHash?: string;
  /** Shown the plan and its guarantee before anything is charged or read; throw to refuse it. */
  readonly announce?: (plan: Announcement) => void;
  /** Told what people should know: charges, sources that are not used. Nothing is printed. */
  readonly say?: (line: string) => void;
  readonly progress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /**
   * Says where the model goes once its certificate is known; `out` unless given. Released numbers alone
   * decide, so that the choice costs no privacy.
   */
  readonly place?: (certificate: Certificate) => Promise<string>;
  /**
   * Goes on from what earlier runs to the same folder released (the file `<out>.memory`), and leaves what
   * this one did; a training begins anew unless told. Methods that cannot, and simulations, leave it alone;
   * `false` does, too.
   */
  readonly remember?: RememberRequest | false;
}

/** What each option must be at run time; ranges are those of the command line. */
const trainOptions: OptionShape<TrainOptions> = {
  method: name,
  epsilon: option(expectedEpsilon('Infinity'), (value) => typeof value === 'number' && value > 0),
  delta: option(expectedDelta, (value) => typeof value === 'number' && value >= 0 && value < 1),
  plugins: names,
  settings: option(
    'an object of settings, each a text, a number or true or false',
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each)),
  ),
  people: wholeNumber(1),
  goal: oneOf(...goals),
  liked: finiteNumber,
  features: names,
  kinds: option(
    "a list of 'categorical', 'similarity' or 'public-ratings'",
    (value) =>
      Array.isArray(value) &&
      value.every((kind) => ['categorical', 'similarity', 'public-ratings'].includes(kind)),
  ),
  out: name,
  seed: wholeNumber(0),
  accounting: oneOf('exact', 'rdp', 'zcdp', 'as-published'),
  signingKey: option(
    'a key pair { privateKey, publicKey }',
    (value) => typeof value === 'object' && value !== null && 'privateKey' in value && 'publicKey' in value,
  ),
  ledger: name,
  newLedger: flag,
  threads: wholeNumber(1, 256),
  memory: finiteNumber,
  announce: callback,
  say: callback,
  progress: callback,
  signal,
  place: callback,
  remember: option("{ day: '2026-03-31' }, with why it begins anew as `anew`, or false", isRemember),
  overwrite: flag,
  resume: flag,
  withReleases: flag,
  acceptWeak: flag,
  recordUnprotected: flag,
  note: text,
  planHash: option('the hash of a plan, 64 hex digits', isPlanHash),
};

function isRemember(value: unknown): boolean {
  if (value === false) return true;
  const { day, anew = '' } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof day === 'string' && !Number.isNaN(Date.parse(day)) && typeof anew === 'string';
}

/**
 * The plan of a run, before anything happens: what `train` with the same options would promise, release and
 * charge. Reads no rating and spends nothing. Give its `hash` to `train` as `planHash`, and the run is made
 * by this plan or refused before the charge.
 *
 * @param dataset a dataset folder (see `importRatings`), or the file it was imported from
 * @throws what `train` throws for what is wrong before any work
 * @example
 * const request = { epsilon: 1, out: 'model' };
 * const { hash, plan: { epsilon, delta } } = await plan('ratings.hushrec', request);
 * console.log(`ε = ${epsilon}, δ = ${delta}`);
 * await train('ratings.hushrec', { ...request, planHash: hash });
 */
export async function plan(dataset: string, options: TrainOptions = {}): Promise<Announcement> {
  return planTraining(await requested('plan', dataset, options));
}

/**
 * Trains a model of a data set, pays for it from the ledger, certifies it and writes its folder: plan,
 * rehearsal, charge, training, publication, in this order, so that nothing is released that was not paid for.
 *
 * @param dataset a dataset folder (see `importRatings`), or the file it was imported from
 * @throws TrainingFailedError, with the step it failed in and whether it was paid for; its `cause` is a
 * BudgetExceededError or SpendRefusedError where the ledger refused. Errors with the `kind` 'usage' for what
 * is wrong before any work: every option is checked at run time, so that `epsilon: '1'` or an unknown name is
 * an error and never a model without noise.
 * @example const { directory, certificate } = await train('ratings.hushrec', { epsilon: 1, out: 'model',
 * overwrite: true }); console.log(directory, certificate.epsilon, certificate.delta);
 */
export async function train(dataset: string, options: TrainOptions = {}): Promise<TrainedAndPublished> {
  const request = await requested('train', dataset, options);
  const { announce, planHash, progress, signal, place } = options;
  return makeRun({
    ...request,
    show: (shown) => {
      announce?.(shown);
      return planHash ?? shown.hash;
    },
    ...(progress && { progress }),
    ...(signal && { signal }),
    ...(place && { place }),
  });
}

/** The run that options ask for, checked. */
async function requested(
  called: string,
  dataset: string,
  options: TrainOptions,
): Promise<Omit<TrainingRun, 'show'>> {
  checkName(called, 'the data set', dataset);
  checkOptions<TrainOptions>(called, trainOptions, options);
  const { say = () => {}, kinds, settings = {}, delta = usualDelta } = options;
  await loadPapers();
  for (const plugin of options.plugins ?? []) await loadPlugin(plugin);
  const method = methodById(options.method ?? 'hush');
  if (method.protects.length > 0 && options.epsilon === undefined)
    throw new OptionError(
      `${method.id} is a private method: give epsilon (usual values: 0.1 to 10; Infinity trains it without noise).`,
    );
  const given = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  await checkRequest([method], {
    ...options,
    delta,
    set: Object.entries(given).map(([name, value]) => `${name}=${value}`),
  });
  await checkMemory(method, options);
  const directory = knownDatasetFolder(dataset);
  const source = await trainingSource(
    directory,
    method,
    {
      splitSeed: 1,
      ...(options.goal && { goal: options.goal }),
      ...(options.liked !== undefined && { liked: options.liked }),
      ...(options.features && { features: options.features }),
      ...(kinds && { kind: kinds }),
      ...(options.memory !== undefined && { memory: options.memory }),
    },
    say,
  );
  const { threads } = options;
  const place = { directory, source, ...(threads !== undefined && { threads }) };
  return {
    ...(await publishRequest(method, given, place, { ...options, delta })),
    say,
    ...(options.remember !== false && {
      remember: options.remember ?? { day: today(), anew: 'a training does' },
    }),
  };
}
