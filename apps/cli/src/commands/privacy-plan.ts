import type { Goal } from '@hushrec/factorize';
import type { ForecastRange, PlannedData } from '@hushrec/planner';
import { type Command, Option } from 'commander';
import { addCommand, numberOption, type Outcome, usualDelta } from '../command.js';

interface PlanOptions {
  readonly people: number;
  readonly items: number;
  readonly ratingsPerPerson: number;
  readonly epsilon?: number;
  readonly delta: number;
  readonly goal?: Goal;
  readonly headShare?: number;
  readonly tailShare?: number;
  readonly like?: string;
}

/** ε that are shown where none is asked for. */
const usualEpsilons = [0.5, 1, 2, 4, 8];

/** `hushrec privacy plan`: before any data, what noise will leave of it. */
export function registerPlan(group: Command): void {
  addCommand<PlanOptions>(group, {
    usage: 'plan',
    summary: 'before any data: how many people are needed, and what to expect at which ε',
    examples: [
      'hushrec privacy plan --people 6000 --items 3700 --ratings-per-person 165',
      'hushrec privacy plan --people 600 --items 3000 --ratings-per-person 130 --epsilon 1 --goal stars',
      'hushrec privacy plan --people 6000 --items 3700 --ratings-per-person 165 --like model',
    ],
    fields: [
      'people',
      'items',
      'ratingsPerPerson',
      'goal',
      'delta',
      'basis',
      'plans (each: epsilon verdict shareAboveNoise head tail peopleNeeded quality range)',
      'epsilonNeeded',
      'epsilonNeededRange',
      'weak (why a guarantee would say next to nothing)',
    ],
    configure: (command) =>
      command
        .requiredOption('--people <n>', 'about how many people there will be', numberOption('people'))
        .requiredOption('--items <n>', 'how many items', numberOption('items'))
        .requiredOption(
          '--ratings-per-person <n>',
          'ratings or likes a person has, on average',
          numberOption('ratings per person'),
        )
        .option('--epsilon <number>', 'ε (several are shown unless given)', numberOption('epsilon'))
        .option(
          '--delta <number>',
          'δ; less than 1 / (10 × number of people)',
          numberOption('delta'),
          usualDelta,
        )
        .addOption(
          new Option('--goal <goal>', 'lists, or predicted ratings (that of --like; else rank)').choices([
            'rank',
            'stars',
          ]),
        )
        .option(
          '--head-share <share>',
          'share of all ratings that the most rated tenth of items gets (as in known catalogues)',
          numberOption('head share'),
        )
        .option(
          '--tail-share <share>',
          'share of all ratings that the least rated half gets (as in known catalogues)',
          numberOption('tail share'),
        )
        .option(
          '--like <model>',
          'a model of these people, whose released counts say how unevenly the catalogue is used',
        ),
    run: (_args, options) => plan(options),
  });
}

async function plan(options: PlanOptions): Promise<Outcome> {
  const { weakWords } = await import('@hushrec/model/words');
  const {
    basisWords,
    epsilonWords,
    forecastRange,
    forecastWords,
    peopleNeeded,
    peopleWords,
    referenceRuns,
    epsilonNeeded,
    worthItBelow,
  } = await import('@hushrec/planner');
  const { promisedDelta } = await import('@hushrec/privacy');
  promisedDelta(options.delta);
  const { people, items, ratingsPerPerson, delta } = options;
  const { feedback, ...known } = await whatIsKnown(options);
  const data = { people, items, ratingsPerPerson, feedback, ...known };
  const worthIt = worthItBelow(data, referenceRuns);
  const plans = (options.epsilon === undefined ? usualEpsilons : [options.epsilon]).map((epsilon) =>
    forecastRange(data, epsilon, delta, referenceRuns),
  );
  const { basis, epsilonNeeded: enough, middle } = plans[0];
  const declared = { about: people, from: 'declaration' } as const;
  const weak = new Set(
    plans.flatMap((range) => weakWords({ epsilon: range.middle.epsilon, delta, people: declared })),
  );
  return {
    json: {
      people,
      items,
      ratingsPerPerson,
      goal: goalFor(feedback),
      delta,
      basis,
      plans: plans.map((range) =>
        planFields(range, twoDigits(peopleNeeded(data, range.middle.epsilon, delta, worthIt))),
      ),
      epsilonNeeded: twoDigits(epsilonNeeded(data, middle.epsilon, delta, worthIt)),
      epsilonNeededRange: enough,
      weak: [...weak],
    },
    text: [
      ...plans.flatMap((range) => [
        `ε = ${range.middle.epsilon}`,
        ...forecastWords(data, range).map((line) => `  ${line}`),
        `  It takes about ${peopleWords(range.peopleNeeded)} people to be worth it.`,
      ]),
      '',
      `With ${count.format(people)} people it takes an ε of about ${epsilonWords(enough)} to be worth it.`,
      basisWords(basis),
      ...[...weak].map((words) => `Weak: ${words}`),
      'This is a forecast, made without anybody’s data. `train` says what came of it.',
    ].join('\n'),
  };
}

/** A forecast at one ε, for programs. */
function planFields(forecast: ForecastRange, peopleNeeded: number) {
  const { middle, quality, shareAboveNoise, head, tail } = forecast;
  return {
    epsilon: middle.epsilon,
    verdict: middle.verdict,
    shareAboveNoise: middle.shareAboveNoise,
    ...middle.counts,
    peopleNeeded,
    quality,
    range: { shareAboveNoise, head, tail, peopleNeeded: forecast.peopleNeeded },
  };
}

/** What an earlier model released, or what is said of the catalogue. */
async function whatIsKnown({
  like,
  headShare,
  tailShare,
  goal,
}: PlanOptions): Promise<Pick<PlannedData, 'counts' | 'shape' | 'feedback'>> {
  const { usualShape } = await import('@hushrec/model/usefulness');
  const { countsOfModel, PlanError } = await import('@hushrec/planner');
  const asked = goal === 'stars' ? 'ratings' : 'likes';
  if (like === undefined)
    return headShare === undefined && tailShare === undefined
      ? { feedback: asked }
      : {
          feedback: asked,
          shape: {
            headShare: headShare ?? usualShape.headShare,
            tailShare: tailShare ?? usualShape.tailShare,
          },
        };
  const { readModelFolder } = await import('@hushrec/model/folder');
  const { model, certificate } = await readModelFolder(like);
  const counts = countsOfModel(model, certificate);
  const learnt = model.feedback === 'implicit' ? 'likes' : 'ratings';
  if (counts === undefined)
    throw new PlanError(`${like} released no counts that stand out of their noise; plan without --like.`);
  if (goal !== undefined && learnt !== asked)
    throw new PlanError(
      `${like} was trained for ${goalFor(learnt)}; leave --goal out, or plan without --like.`,
    );
  return { counts, feedback: learnt };
}

function goalFor(feedback: PlannedData['feedback']): Goal {
  return feedback === 'likes' ? 'rank' : 'stars';
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

const count = new Intl.NumberFormat('en');
