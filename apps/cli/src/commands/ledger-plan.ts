import type { Goal } from '@hushrec/factorize';
import type { ForecastOfRefreshes, PlannedData } from '@hushrec/planner';
import { type Command, Option } from 'commander';
import {
  addCommand,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
  usualDelta,
} from '../command.js';
import { type LedgerFlags, withAccountLedger } from '../dataset-ledger.js';
import { dateOption, today } from '../duration.js';
import { deltaText, lowerBoundText } from '../number-text.js';
import {
  daysOfRhythm,
  endOf,
  keepRefreshPlan,
  type Rhythm,
  rhythms,
  runsWithin,
  type Span,
  spans,
} from '../refresh-plan.js';

interface PlanOptions extends LedgerFlags, RefreshesAsked {
  readonly runs?: number;
  readonly epsilon?: number;
  readonly delta: number;
}

/** What is said of a plan of refreshes. */
interface RefreshesAsked {
  readonly every?: Rhythm;
  readonly for?: Span;
  readonly from?: string;
  readonly model?: string;
  readonly people?: number;
  readonly items?: number;
  readonly ratingsPerPerson?: number;
  readonly goal?: Goal;
}

/**
 * `hushrec ledger plan`: how much each of several runs may take, by composition instead of division; or a
 * whole plan of refreshes, which `hushrec refresh` follows.
 */
export function registerLedgerPlan(group: Command): void {
  addCommand<PlanOptions>(group, {
    usage: 'plan [account]',
    summary: 'how much each of several runs may take, within a total or within what is left of an account',
    examples: [
      'hushrec ledger plan --runs 12 --epsilon 4 --delta 1e-6',
      'hushrec ledger plan sample --runs 12',
      'hushrec ledger plan --every day --for year --epsilon 4 --people 6000 --items 3700 --ratings-per-person 95',
      'hushrec ledger plan shop --every week --for year --model models/shop   (kept: refresh follows it)',
    ],
    fields: [
      'runs',
      'epsilon',
      'delta',
      'each',
      'account',
      'ledger',
      'first, every, from, until, kept, withMemory, fromNothing, better (with --every)',
    ],
    configure: addPlanFlags,
    run: async ([named], options) => {
      const { runs, epsilon } = options;
      if (options.every !== undefined) return refreshes(named, { ...options, every: options.every });
      refuseWithoutEvery(options);
      if (runs === undefined)
        throw new OptionError(
          'Say with --runs how many runs are to come, or with --every how often a model is refreshed.',
        );
      if (named === undefined) return runsWithinTotal(runs, options);
      if (epsilon !== undefined)
        throw new OptionError('An account has its own total: leave out --epsilon, or the account.');
      return runsWithinGrant(named, runs, options);
    },
  });
}

async function runsWithinTotal(runs: number, { epsilon, delta }: PlanOptions): Promise<Outcome> {
  if (epsilon === undefined || !Number.isFinite(epsilon))
    throw new OptionError('Name an account, or give a total with --epsilon and --delta.');
  const { epsilonOfEqualRuns } = await import('@hushrec/ledger');
  const { promisedGaussianDelta, tightestEpsilon } = await import('@hushrec/privacy');
  promisedGaussianDelta(delta);
  const each = epsilonOfEqualRuns({ runs, epsilon, delta, spent: [], accountant: tightestEpsilon });
  return {
    json: { runs, epsilon, delta, each, account: null, ledger: null },
    text: planText(runs, each, delta, `within ε = ${epsilon} at δ = ${deltaText(delta)}`, epsilon),
  };
}

function runsWithinGrant(named: string, runs: number, options: PlanOptions): Promise<Outcome> {
  return withAccountLedger(named, options, 'read', async ({ ledger, account }) => {
    const { grant } = await ledger.balance(account.id, options.delta);
    const each = await ledger.planRuns(account.id, runs);
    if (grant === null || each === undefined)
      throw new OptionError(
        `${account.name} has no grant to stay within. Give a total with --epsilon and --delta, or grant one first.`,
      );
    const { epsilon, delta, period } = grant;
    const within = `within what is left of ε = ${epsilon}${period === null ? '' : ` a ${period}`}`;
    return {
      json: { runs, epsilon, delta, each, account: account.id, ledger: ledger.location },
      text: `${planText(runs, each, delta, within, epsilon)}\nLedger ${ledger.location}`,
    };
  });
}

function addPlanFlags(command: Command): void {
  command
    .option('--runs <n>', 'how many equal runs are to come', integerOption('runs', 1))
    .option('--epsilon <number>', 'total ε (that of the account’s grant)', numberOption('epsilon'))
    .option('--delta <number>', 'δ of the total and of each run', numberOption('delta'), usualDelta)
    .addOption(new Option('--every <time>', 'a plan of refreshes, one every …').choices(rhythms))
    .addOption(new Option('--for <time>', 'how long the plan lasts (year)').choices(spans))
    .option('--from <day>', 'its first day, as 2026-03-31 (today)', dateOption('from'))
    .option(
      '--model <folder>',
      'keep the plan beside this model, for `hushrec refresh` to follow; what it released tells what to expect',
    )
    .option('--people <n>', 'about how many people there are, to say what to expect', numberOption('people'))
    .option('--items <n>', 'how many items', numberOption('items'))
    .option('--ratings-per-person <n>', 'ratings or likes each', numberOption('ratings per person'))
    .addOption(new Option('--goal <goal>', 'lists, or predicted ratings (rank)').choices(['rank', 'stars']));
}

function planText(runs: number, each: number, delta: number, within: string, total: number): string {
  if (each === 0) return `Nothing fits: ${runs} more runs ${within} are not possible.`;
  return (
    `${runs} ${runs === 1 ? 'run' : 'runs'} with Gaussian noise ${within}: each may take ε = ${each} at δ = ${deltaText(delta)}` +
    `${runs === 1 ? '' : `, by composition; dividing would give ε = ${lowerBoundText(total / runs)}`}.\n` +
    `Train each with --epsilon ${each} --delta ${deltaText(delta)}.`
  );
}

function refuseWithoutEvery(options: RefreshesAsked): void {
  const { for: span, from, model, people, items, ratingsPerPerson, goal } = options;
  const asked = { for: span, from, model, people, items, 'ratings-per-person': ratingsPerPerson, goal };
  const [idle] = Object.entries(asked).filter(([, value]) => value !== undefined);
  if (idle !== undefined)
    throw new OptionError(`--${idle[0]} belongs to a plan of refreshes: say --every too.`);
}

/**
 * A plan of refreshes: what each may take, what to expect with memory and without, whether fewer were better.
 */
async function refreshes(
  named: string | undefined,
  options: PlanOptions & { readonly every: Rhythm },
): Promise<Outcome> {
  if (options.runs !== undefined) throw new OptionError('--every counts the runs: leave out --runs.');
  const total = await totalOf(named, options);
  const { epsilon, delta } = total;
  const { budgetOfRefreshes } = await import('@hushrec/planner');
  const from = options.from ?? today();
  const until = await endOf(from, options.for ?? 'year');
  const planOf = async (every: Rhythm) => {
    const runs = await runsWithin(every, from, until);
    return { every, from, until, runs, epsilon, delta, ...budgetOfRefreshes(runs, epsilon, delta) };
  };
  const plan = await planOf(options.every);
  if (!(plan.each > 0))
    throw new OptionError(`${plan.runs} refreshes do not fit into ε = ${epsilon}: plan fewer.`);
  const data = await whatIsKnown(options);
  const expected = data && (await expectations(data, options.every, delta, planOf));
  const kept = options.model === undefined ? null : await keepRefreshPlan(options.model, plan);
  const { every, runs, first, each } = plan;
  const forPrograms = (forecast: ForecastOfRefreshes | undefined) =>
    forecast === undefined
      ? null
      : {
          asGoodAs: Number(forecast.asGoodAs.toPrecision(4)),
          verdict: forecast.forecast.middle.verdict,
          quality: forecast.forecast.quality,
        };
  return {
    json: {
      ...{ runs, epsilon, delta, each, account: total.account, ledger: total.ledger },
      ...{ first, every, from, until, kept },
      withMemory: forPrograms(expected?.withMemory),
      fromNothing: forPrograms(expected?.fromNothing),
      better: expected?.better ?? null,
    },
    text: [
      `${runs} refreshes, one every ${every} from ${from} until ${until}, within ε = ${epsilon} at δ = ${deltaText(delta)}: the first may take ε = ${first}, each other one ε = ${each}. A certificate states the ε of all runs that its model remembers, up to ε = ${epsilon}.`,
      ...(expected?.words ?? [
        'Give --model, or --people, --items and --ratings-per-person, to see what to expect.',
      ]),
      ...(daysOfRhythm[every] < daysOfRhythm.month ? [] : [memoryMeasured(runs)]),
      kept === null
        ? `Refresh with --epsilon ${each} --delta ${deltaText(delta)} (the first with --epsilon ${first}); --model keeps the plan, and refresh follows it.`
        : `Kept in ${kept}: \`hushrec refresh\` follows it, and every due refresh runs, also without new ratings.`,
      ...(total.ledger === null ? [] : [`Ledger ${total.ledger}`]),
    ].join('\n'),
  };
}

/** What all runs may take together: what was said, or what is left of an account's grant. */
async function totalOf(named: string | undefined, options: PlanOptions) {
  const { epsilon, delta } = options;
  if (named === undefined) {
    if (epsilon === undefined || !(epsilon > 0 && Number.isFinite(epsilon)))
      throw new OptionError('Name an account, or give a total with --epsilon and --delta.');
    const { promisedGaussianDelta } = await import('@hushrec/privacy');
    promisedGaussianDelta(delta);
    return { epsilon, delta, account: null, ledger: null };
  }
  if (epsilon !== undefined)
    throw new OptionError('An account has its own total: leave out --epsilon, or the account.');
  return withAccountLedger(named, options, 'read', async ({ ledger, account }) => {
    const { grant } = await ledger.balance(account.id, delta);
    // As one run: parts of a Gaussian budget compose to the whole.
    const left = await ledger.planRuns(account.id, 1);
    if (grant === null || left === undefined)
      throw new OptionError(
        `${account.name} has no grant to stay within. Give a total with --epsilon and --delta, or grant one first.`,
      );
    if (left === 0) throw new OptionError(`Nothing is left of the grant of ${account.name}.`);
    return { epsilon: left, delta: grant.delta, account: account.id, ledger: ledger.location };
  });
}

/** What is known of the people: by the model's releases, or as it is said. */
async function whatIsKnown(options: RefreshesAsked): Promise<PlannedData | undefined> {
  const { people, items, ratingsPerPerson, goal, model } = options;
  const given = [people, items, ratingsPerPerson];
  if (people !== undefined && items !== undefined && ratingsPerPerson !== undefined)
    return { people, items, ratingsPerPerson, feedback: goal === 'stars' ? 'ratings' : 'likes' };
  if (given.some((each) => each !== undefined))
    throw new OptionError('Give --people, --items and --ratings-per-person together.');
  if (model === undefined) return undefined;
  const { existsSync } = await import('node:fs');
  const { join } = await import('node:path');
  if (!existsSync(join(model, 'certificate.json'))) return undefined;
  const { readModelFolder } = await import('@hushrec/model/folder');
  const { countsOfModel } = await import('@hushrec/planner');
  const published = await readModelFolder(model);
  const counts = countsOfModel(published.model, published.certificate);
  const known = published.manifest.facts?.people;
  if (counts === undefined || known === undefined || published.model.kind !== 'factors') return undefined;
  const about = Math.max(1, Math.round(known));
  const itemCount = published.manifest.itemIds.length;
  const roots = Float64Array.from(published.model.popularity ?? []).reduce((sum, count) => sum + count, 0);
  return {
    people: about,
    items: itemCount,
    ratingsPerPerson: Math.min(itemCount, Math.max(1, (roots / about) ** 2)),
    feedback: published.model.feedback === 'implicit' ? 'likes' : 'ratings',
    counts,
  };
}

/** What `hushrec reproduce refresh/year` measured, which forecasts do not say. */
const memoryMeasured = (runs: number) =>
  `Memory may not help at this rhythm: in simulated years of ML-1M, monthly models had between 1.6% less and 6.5% more recall with it than without, and those of ML-100K at its real times 1.9% less (within the error; \`hushrec reproduce refresh/year\`). To train from nothing each time, keep no plan: \`hushrec ledger plan --runs ${runs}\` divides the total evenly, and \`hushrec refresh --no-memory\` remembers nothing.`;

/** Where a rarer rhythm is expected to be this much further on the way to no privacy, it is named. */
const worthWaiting = 0.1;

async function expectations(
  data: PlannedData,
  every: Rhythm,
  delta: number,
  planOf: (every: Rhythm) => Promise<{ readonly runs: number; readonly each: number }>,
) {
  const { forecastOfRefreshes, forecastWords, referenceRuns } = await import('@hushrec/planner');
  const { keptAfter } = await import('@hushrec/factorize');
  const expect = async (rhythm: Rhythm, remembers: boolean) => {
    const { runs, each } = await planOf(rhythm);
    const kept = remembers ? keptAfter(daysOfRhythm[rhythm]) : 0;
    return forecastOfRefreshes(data, { each, runs, kept }, delta, referenceRuns);
  };
  const middle = ({ forecast: { quality } }: ForecastOfRefreshes) => (quality.low + quality.high) / 2;
  const withMemory = await expect(every, true);
  const fromNothing = await expect(every, false);
  let rarer: { readonly rhythm: Rhythm; readonly gain: number } | undefined;
  for (const rhythm of rhythms.slice(rhythms.indexOf(every) + 1)) {
    const gain = middle(await expect(rhythm, true)) - middle(withMemory);
    if (gain > (rarer?.gain ?? worthWaiting)) rarer = { rhythm, gain };
  }
  const lines = (called: string, { asGoodAs, forecast }: ForecastOfRefreshes) => [
    `${called}: as good as one training at ε = ${Number(asGoodAs.toPrecision(2))}.`,
    ...forecastWords(data, forecast).map((line) => `  ${line}`),
  ];
  return {
    withMemory,
    fromNothing,
    better: rarer?.rhythm ?? null,
    words: [
      ...lines('With memory, in the middle of the plan', withMemory),
      ...lines('Trained from nothing each time', fromNothing),
      rarer === undefined
        ? 'Fewer refreshes would not make models better.'
        : `Fewer would be better: every ${rarer.rhythm} is expected to be ${Math.round(100 * rarer.gain)}% closer to no privacy. Its models are older, which the forecast ignores.`,
    ],
  };
}
