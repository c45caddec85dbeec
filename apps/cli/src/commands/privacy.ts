import type { AccountedEpsilon, Accounting, PrivacyEvent } from '@hushrec/privacy';
import { type Command, Option } from 'commander';
import { addCommand, numberOption, repeated } from '../command.js';
import {
  type EpsilonOptions,
  eventOf,
  type MechanismName,
  type MechanismOptions,
  planOf,
  withMechanism,
} from '../mechanism-options.js';
import { deltaText, epsilonText } from '../number-text.js';
import { registerPlan } from './privacy-plan.js';

interface CalibrateOptions extends MechanismOptions {
  readonly epsilon: number;
  readonly delta: number;
  readonly accounting: Accounting;
}

interface ExplainOptions {
  readonly epsilon: number;
  readonly delta: number;
}

/** `hushrec privacy`: accounting without data. */
export function registerPrivacy(program: Command): void {
  const group = program
    .command('privacy')
    .summary(
      'accounting without data: noise for a target, ε of given releases, what ε means, how many people are needed',
    )
    .description(
      'Accounting without data: noise for a target, ε of given releases, what ε means, how many people are needed.',
    );

  addCommand<CalibrateOptions>(group, {
    usage: 'calibrate',
    summary: 'the noise that meets a target (ε, δ)',
    examples: [
      'hushrec privacy calibrate --epsilon 1 --delta 1e-5',
      'hushrec privacy calibrate --epsilon 5 --delta 1e-6 --count 3 --sensitivity 10',
      'hushrec privacy calibrate --epsilon 1 --delta 1e-5 --rate 0.01 --count 1000 --json',
    ],
    fields: ['noise', 'mu', 'accountant', 'epsilon', 'delta', 'sensitivity', 'count', 'others'],
    configure: (command) =>
      withMechanism(withTarget(command)).addOption(
        new Option('--accounting <name>', 'how noise follows from the target')
          .choices(['exact', 'rdp', 'zcdp', 'as-published'])
          .default('exact'),
      ),
    run: async (_args, options) => {
      const { calibrate, composedMu, everyEpsilon } = await import('@hushrec/privacy');
      const { epsilon, delta, accounting } = options;
      const plan = calibrate(planOf(options), { epsilon, delta, accounting });
      const release = plan.releases[0];
      const event: PrivacyEvent = { kind: 'repeated', event: release.event, count: release.count };
      const mu = release.event.kind === 'gaussian' ? composedMu(event) : null;
      const others = release.noise === 0 ? [] : everyEpsilon(event, plan.delta);
      return {
        json: {
          noise: release.noise,
          mu,
          accountant: plan.accountant,
          epsilon: plan.epsilon,
          delta: plan.delta,
          sensitivity: release.sensitivity,
          count: release.count,
          others: others.map(finite),
        },
        text: [
          `${noiseWord(options.mechanism)} ${digits(release.noise)} on ${release.count === 1 ? 'one' : `each of ${release.count}`} ${release.count === 1 ? 'release' : 'releases'} of sensitivity ${release.sensitivity}`,
          `gives (ε = ${plan.epsilon}, δ = ${deltaText(plan.delta)}) by "${plan.accountant}"${mu === null ? '' : `; μ = ${digits(mu)}`}.`,
          ...sideBySide(others),
        ].join('\n'),
      };
    },
  });

  addCommand<EpsilonOptions>(group, {
    usage: 'epsilon',
    summary: 'the ε of given releases, by every accountant that knows them',
    examples: [
      'hushrec privacy epsilon --noise 5 --count 10 --delta 1e-5',
      'hushrec privacy epsilon --noise 1 --rate 0.01 --count 1000 --delta 1e-5 --json',
      'hushrec privacy epsilon --delta 1e-5 --release gaussian,noise=5,count=10 --release laplace,noise=2',
    ],
    fields: ['epsilon', 'delta', 'accountant', 'others'],
    configure: (command) =>
      withMechanism(withDelta(command))
        .option(
          '--noise <number>',
          'standard deviation (Gaussian) or scale (Laplace, K-norm)',
          numberOption('noise'),
        )
        .option(
          '--release <description>',
          'a release as mechanism,noise=…[,sensitivity=…][,count=…][,rate=…][,dimension=…] (repeatable)',
          repeated,
        ),
    run: async (_args, options) => {
      const { everyEpsilon, tightestEpsilon } = await import('@hushrec/privacy');
      const event = eventOf(options);
      const { delta } = options;
      const tightest = tightestEpsilon(event, delta);
      const others = everyEpsilon(event, delta);
      return {
        json: {
          epsilon: finite(tightest).epsilon,
          delta,
          accountant: tightest.accountant,
          others: others.map(finite),
        },
        text: [
          `These releases are (ε = ${epsilonText(tightest.epsilon)}, δ = ${deltaText(delta)})-DP by "${tightest.accountant}".`,
          ...sideBySide(others),
        ].join('\n'),
      };
    },
  });

  addCommand<ExplainOptions>(group, {
    usage: 'explain',
    summary: 'what (ε, δ) promises to a person, in words and numbers',
    examples: [
      'hushrec privacy explain --epsilon 1 --delta 1e-5',
      'hushrec privacy explain --epsilon 8 --json',
    ],
    fields: ['epsilon', 'delta', 'mu', 'posterior', 'attacks', 'curve', 'groupOfTwo'],
    configure: withTarget,
    run: async (_args, { epsilon, delta }) => {
      const privacy = await import('@hushrec/privacy');
      const model = await import('@hushrec/model');
      const mu = privacy.muFor(epsilon, delta);
      const attacks = [0.001, 0.01, 0.1].map((falseAlarms) => ({
        falseAlarms,
        detection: privacy.largestDetection(epsilon, delta, falseAlarms),
        gaussianDetection: privacy.largestGaussianDetection(mu, falseAlarms),
      }));
      const curve = [1e-3, 1e-5, 1e-7, 1e-9].map((each) => ({
        delta: each,
        epsilon: privacy.roundUpEpsilon(privacy.gaussianEpsilon(mu, each)),
      }));
      const posterior = privacy.largestPosterior(epsilon, 0.5);
      const pair = privacy.roundUpEpsilon(privacy.groupEpsilon(mu, 2, delta));
      return {
        json: { epsilon, delta, mu, posterior, attacks, curve, groupOfTwo: pair },
        text: [
          `(ε = ${epsilon}, δ = ${deltaText(delta)}): ${model.strengthSentence(epsilon)}`,
          '',
          `Someone who thinks it 50 % likely that a given person took part can become at most ${percent(posterior)} sure`,
          `(except for an event of probability δ). To be right about who took part:`,
          ...attacks.map(
            ({ falseAlarms, detection, gaussianDetection }) =>
              `  with ${percent(falseAlarms)} false alarms they catch at most ${percent(detection)}; with Gaussian noise at most ${percent(gaussianDetection)}`,
          ),
          '',
          `Gaussian noise of this strength has μ = ${digits(mu)}. The same noise also means:`,
          ...curve.map((point) => `  ε = ${point.epsilon} at δ = ${deltaText(point.delta)}`),
          `Two people together are protected with ε = ${pair} at the same δ.`,
        ].join('\n'),
      };
    },
  });
  registerPlan(group);
}

function withDelta(command: Command): Command {
  return command.option(
    '--delta <number>',
    'δ; less than 1 / (10 × number of people)',
    numberOption('delta'),
    1e-5,
  );
}

function withTarget(command: Command): Command {
  return withDelta(command.requiredOption('--epsilon <number>', 'ε to meet', numberOption('epsilon')));
}

/** JSON has no infinity: null stands for no finite ε. */
function finite({ epsilon, accountant }: AccountedEpsilon): { epsilon: number | null; accountant: string } {
  return { epsilon: Number.isFinite(epsilon) ? epsilon : null, accountant };
}

function sideBySide(others: readonly AccountedEpsilon[]): string[] {
  if (others.length === 0) return [];
  return [
    '',
    'All accountants:',
    ...others.map((each) => `  ${each.accountant.padEnd(12)} ε = ${epsilonText(each.epsilon)}`),
  ];
}

function noiseWord(mechanism: MechanismName): string {
  return mechanism === 'gaussian' ? 'Standard deviation' : 'Scale';
}

const digits = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(8))) : '∞';
const percent = (share: number): string => `${Number((100 * share).toPrecision(4))} %`;
