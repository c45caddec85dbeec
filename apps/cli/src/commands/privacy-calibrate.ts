import type { Accounting, PrivacyEvent } from '@hushrec/privacy';
import { type Command, Option } from 'commander';
import { addCommand } from '../command.js';
import { type MechanismName, type MechanismOptions, planOf, withMechanism } from '../mechanism-options.js';
import { deltaText } from '../number-text.js';
import { digits, finite, sideBySide, withTarget } from '../privacy-target.js';

interface CalibrateOptions extends MechanismOptions {
  readonly epsilon: number;
  readonly delta: number;
  readonly accounting: Accounting;
}

export function registerCalibrate(group: Command): void {
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
}

function noiseWord(mechanism: MechanismName): string {
  return mechanism === 'gaussian' ? 'Standard deviation' : 'Scale';
}
