import { type Command, Option } from 'commander';
import { addCommand, numberOption, type Outcome } from '../command.js';

interface PlanOptions {
  readonly people: number;
  readonly items: number;
  readonly ratingsPerPerson: number;
  readonly epsilon?: number;
  readonly delta: number;
  readonly feedback: 'ratings' | 'likes';
  readonly headShare: number;
  readonly tailShare: number;
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
      'hushrec privacy plan --people 600 --items 3000 --ratings-per-person 130 --epsilon 1 --feedback likes',
    ],
    fields: [
      'people',
      'items',
      'ratingsPerPerson',
      'feedback',
      'delta',
      'plans (each: epsilon verdict shareAboveNoise head tail peopleNeeded quality)',
      'epsilonNeeded',
    ],
    configure: (command) =>
      command
        .requiredOption('--people <n>', 'how many people there will be, about', numberOption('people'))
        .requiredOption('--items <n>', 'how many items', numberOption('items'))
        .requiredOption(
          '--ratings-per-person <n>',
          'ratings or likes a person has, on average',
          numberOption('ratings per person'),
        )
        .option('--epsilon <number>', 'ε (several are shown unless given)', numberOption('epsilon'))
        .option('--delta <number>', 'δ; less than 1 / (10 × number of people)', numberOption('delta'), 1e-6)
        .addOption(
          new Option('--feedback <kind>', 'ratings to predict, or likes to rank')
            .choices(['ratings', 'likes'])
            .default('ratings'),
        )
        .option(
          '--head-share <share>',
          'share of all ratings that the most rated tenth of items gets',
          numberOption('head share'),
          0.445,
        )
        .option(
          '--tail-share <share>',
          'share of all ratings that the least rated half gets',
          numberOption('tail share'),
          0.076,
        ),
    run: (_args, options) => plan(options),
  });
}

async function plan(options: PlanOptions): Promise<Outcome> {
  const { epsilonNeeded, forecastNoise, forecastWords, peopleNeeded, qualityRange, referenceRuns } =
    await import('@hushrec/model');
  const { people, items, ratingsPerPerson, feedback, delta, headShare, tailShare } = options;
  const data = { people, items, ratingsPerPerson, feedback, shape: { headShare, tailShare } };
  const plans = (options.epsilon === undefined ? usualEpsilons : [options.epsilon]).map((epsilon) => {
    const forecast = forecastNoise(data, epsilon, delta);
    return {
      forecast,
      quality: qualityRange(data, forecast, referenceRuns),
      people: Number(peopleNeeded(data, epsilon, delta).toPrecision(2)),
    };
  });
  const enough = Number(epsilonNeeded(data, plans[0].forecast.epsilon, delta).toPrecision(2));
  return {
    json: {
      people,
      items,
      ratingsPerPerson,
      feedback,
      delta,
      plans: plans.map(({ forecast, quality, people: needed }) => ({
        epsilon: forecast.epsilon,
        verdict: forecast.verdict,
        shareAboveNoise: forecast.shareAboveNoise,
        ...forecast.counts,
        peopleNeeded: needed,
        quality,
      })),
      epsilonNeeded: enough,
    },
    text: [
      ...plans.flatMap(({ forecast, quality, people: needed }) => [
        `ε = ${forecast.epsilon}`,
        ...forecastWords(data, forecast, quality).map((line) => `  ${line}`),
        `  Worth it from about ${count.format(needed)} people on.`,
      ]),
      '',
      `With ${count.format(people)} people it is worth it from an ε of about ${enough} on.`,
      'A forecast: nobody’s data was looked at. `train` says what came of it.',
    ].join('\n'),
  };
}

const count = new Intl.NumberFormat('en');
