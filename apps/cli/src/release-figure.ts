import { resolve } from 'node:path';
import type { AskedMetric, PrivateFigure } from '@hushrec/evaluate';
import type { PublishedModel } from '@hushrec/model';
import type { Dataset, RatingMatrix } from '@hushrec/ratings';
import { type CommandContext, OptionError, type Outcome, usualDelta } from './command.js';
import { type LedgerFlags, ledgerFor } from './dataset-ledger.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { guaranteeText } from './guarantee-text.js';
import { withoutPublishedPeople } from './held-out-people.js';
import { deltaText, epsilonText } from './number-text.js';
import { version } from './version.js';

/** Flags of `evaluate --release`. */
export interface ReleaseFlags extends LedgerFlags {
  readonly release?: boolean;
  readonly epsilon?: number;
  readonly delta?: number;
  readonly since?: string;
  readonly people?: number;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly resume?: boolean;
  readonly threads?: number;
}

/** Refuses what means something to `--release` alone. */
export function refuseReleaseFlagsAlone(flags: ReleaseFlags): void {
  const { epsilon, delta, since, people, plan, dryRun, resume } = flags;
  const given = { epsilon, delta, since, people, plan, 'dry-run': dryRun, resume };
  const [idle] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (idle !== undefined)
    throw new OptionError(`--${idle} is of a figure that is released with noise: give --release with it.`);
}

/** A live model, and the people to measure it on. */
export interface FigureToRelease {
  readonly modelPath: string;
  readonly published: PublishedModel;
  readonly dataset: Dataset;
  /** As the model learned them: ratings, or likes. */
  readonly ratings: RatingMatrix;
  /** What counts as found, where the ratings are grades. */
  readonly liked: number | undefined;
  readonly metrics?: readonly AskedMetric[];
}

/**
 * Releases one figure of a model on what people chose since it was made: plan and expected interval first,
 * then the charge, then the figure with its noise. Whatever is decided before the charge follows from public
 * values.
 */
export async function releaseModelFigure(
  asked: FigureToRelease,
  flags: ReleaseFlags,
  context: CommandContext,
): Promise<Outcome> {
  const { expectedFigure, isUseless, leastEpsilonFor, planOfFigure } = await import('@hushrec/evaluate');
  const { published, dataset, ratings } = asked;
  const { epsilon, delta = usualDelta } = flags;
  refuseUnprotected(asked);
  if (epsilon === undefined || !(epsilon > 0 && epsilon < Infinity))
    throw new OptionError('--release adds noise: say with --epsilon what the figure may cost.');
  const figure = await oneFigure(asked);
  const since = sinceDay(published, flags);
  if (ratings.times === undefined)
    throw new CommandError(
      exitCodes.badData,
      `${dataset.directory}: its ratings have no times, so that nobody can tell what was chosen since ${since}. Import it with a column of times.`,
    );
  const people =
    flags.people ?? published.manifest.run?.declaredPeople ?? published.certificate.people?.about;
  if (people === undefined)
    throw new OptionError(
      'The model does not say about how many people there are: give --people, from which follows how close the figure can be.',
    );

  const plan = planOfFigure(figure.name, { epsilon, delta });
  const { hash, settings } = await paidFor(asked, { plan, figure, since });
  const expected = expectedFigure(figure, people, plan.releases[0].noise);
  const words = (value: number) => value.toFixed(4);
  const expectedText = `Expected: if all of about ${people} people chose something since ${since}, a usual ${figure.name} of ${words(expected.usual)} would be released as ${words(expected.low)} to ${words(expected.high)} (95%); with fewer people the interval is wider.`;
  if (isUseless(expected)) {
    const enough = leastEpsilonFor(figure, people, delta);
    throw new CommandError(
      exitCodes.privacyRefused,
      `${expectedText} That says nothing, so nothing was charged. ${enough === undefined ? 'There are too few people for any ε up to 20.' : `It needs ε = ${enough} or more, or more people.`}`,
    );
  }
  context.say(guaranteeText(plan, false));
  context.say(expectedText);
  const shape = { figure: figure.name, since, epsilon: plan.epsilon, delta, expected };
  if (flags.dryRun === true)
    return {
      json: { ...shape, plan: hash },
      text: `Plan ${hash}\nNothing was measured or charged. The same command with --plan ${hash} instead of --dry-run releases this figure, and no other.`,
    };
  const agreed = flags.plan ?? hash;
  return measuredAndReleased(asked, { figure, since, plan, settings, shape, agreed }, flags, context);
}

/**
 * A person who joins moves the two sums by √2 at most for a model that stays as it is. One that she may have
 * changed freely moves everyone's figures, and noise for √2 does not hide that.
 */
function refuseUnprotected({ modelPath, published: { certificate } }: FigureToRelease): void {
  const { unit, epsilon, simulation } = certificate;
  if (unit === 'user' && epsilon !== null && !simulation) return;
  const what = unit === 'user' || unit === 'none' ? 'no guarantee' : 'one for single ratings';
  throw new CommandError(
    exitCodes.privacyRefused,
    `${modelPath} has ${what}: a figure of it depends on everyone it learned from, and this noise hides one person's own part alone. Nothing was charged. Release figures of models that protect whole people; without --release the exact figure is for operators.`,
  );
}

type Figure = NonNullable<ReturnType<typeof import('@hushrec/evaluate').releasableFigure>>;

/** The figure that was asked for, or recall@20 of lists and RMSE of stars. */
async function oneFigure({ metrics, published, ratings }: FigureToRelease): Promise<Figure> {
  const { answerOf, askedName, readMetric, releasableFigure } = await import('@hushrec/evaluate');
  const usual = answerOf(published.model, 'k-fold') === 'ratings' ? 'rmse' : 'recall@20';
  const [first = readMetric(usual), second] = metrics ?? [];
  if (second !== undefined)
    throw new OptionError('Each release costs by itself: give one metric with --metrics.');
  const figure = releasableFigure(first, ratings.scale);
  if (figure !== undefined) return figure;
  throw new OptionError(
    `${askedName(first)} cannot be released: it is no mean over people. Known: rmse, and metrics of a person's list such as recall@20 or ndcg@10.`,
  );
}

/** The first day whose choices the model has not seen: given, or the one after the day of its run. */
function sinceDay({ manifest }: PublishedModel, { since }: ReleaseFlags): string {
  if (since !== undefined) return since;
  const made = manifest.run?.memory?.day;
  if (made !== undefined) return new Date(Date.parse(made) + 86_400_000).toISOString().slice(0, 10);
  throw new OptionError(
    'The model does not say on which day it was made (those of `hushrec refresh` do): give the first day to look at with --since, such as --since 2026-03-31.',
  );
}

const methodOf = ({ name }: Figure) => `evaluate ${name}`;

/** What is going to be released and paid for, and the hash of it. */
async function paidFor(
  { published, dataset, liked }: FigureToRelease,
  {
    plan,
    figure,
    since,
  }: { readonly plan: Parameters<typeof guaranteeText>[0]; readonly figure: Figure; readonly since: string },
) {
  const { workHash } = await import('@hushrec/train');
  const { unit, relation } = plan;
  const model = published.certificate.hash;
  const settings = { metric: figure.name, since, model, ...(liked !== undefined && { liked }) };
  const account = dataset.manifest.account.id;
  const work = {
    account,
    method: methodOf(figure),
    protection: { unit, relation },
    cost: { plan },
    settings,
  };
  return { hash: workHash(work), settings };
}

/** A figure whose plan was shown. */
interface PlannedFigure {
  readonly figure: Figure;
  readonly since: string;
  readonly plan: Parameters<typeof guaranteeText>[0];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly shape: object;
  readonly agreed: string;
}

async function measuredAndReleased(
  { modelPath, published, dataset, ratings, liked, metrics }: FigureToRelease,
  { figure, since, plan, settings, shape, agreed }: PlannedFigure,
  flags: ReleaseFlags,
  context: CommandContext,
): Promise<Outcome> {
  const { choicesSince, measure, readMetric, releaseFigure } = await import('@hushrec/evaluate');
  const { createEngine } = await import('@hushrec/numerics');
  const { makeRun } = await import('@hushrec/train');
  const { itemIds } = published.manifest;
  const columnOf = new Map(itemIds.map((id, at) => [id, at]));
  const columns = dataset.itemIds.map((id) => columnOf.get(id));
  const parts = choicesSince(ratings, { columns, itemCount: itemIds.length }, Date.parse(since) / 1000);
  const asked = metrics?.[0] ?? readMetric(figure.name);
  const task = {
    history: parts.before.byUser,
    target: parts.since.byUser,
    scale: ratings.scale,
    trainedOn: parts.before,
  };
  const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
  try {
    const { result, receipt, told } = await makeRun({
      kind: 'figure',
      source: { account: dataset.manifest.account, identity: dataset.manifest.contentHash },
      method: methodOf(figure),
      plan,
      settings,
      rounding: { code: version, kernel: engine.kernel },
      beside: `${resolve(modelPath)}.figure`,
      resume: flags.resume === true,
      ledger: ledgerFor(dataset.directory, flags),
      note: 'evaluate --release',
      say: context.say,
      show: () => agreed,
      work: async (pay, secret) => {
        const { overall } = await measure(engine, withoutPublishedPeople(published.model), task, 'k-fold', {
          metrics: [asked],
          slices: 1,
          ...(liked !== undefined && { liked }),
        });
        const measured = overall.find(({ name }) => name === figure.name);
        if (measured === undefined)
          throw new OptionError(`${figure.name} says nothing of this model: ask for another with --metrics.`);
        return releaseFigure(plan, measured, figure, { pay, secret });
      },
    });
    const { value, low, high, people } = result;
    const cost = `It cost ε = ${epsilonText(plan.epsilon)} at δ = ${deltaText(plan.delta)}, and may be shown to anyone.`;
    return {
      json: { ...shape, value, low, high, people, ledgerEntry: receipt.entry },
      text: `${figureWords(figure, since, result)}\n${cost}`,
      told,
    };
  } finally {
    await engine.close();
  }
}

function figureWords({ name }: Figure, since: string, { value, low, high, people }: PrivateFigure): string {
  return value === null
    ? `${name} since ${since}: unknown. Too few of the people who chose something since then stand out from the noise.`
    : `${name} since ${since}: ${value.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}] (95%), of about ${people} people.`;
}
