import type { Command } from 'commander';
import { addCommand, numberOption, repeated } from '../command.js';
import { type EpsilonOptions, eventOf, withGaussian } from '../mechanism-options.js';
import { deltaText, epsilonText } from '../number-text.js';
import { finite, sideBySide, withDelta } from '../privacy-target.js';

export function registerEpsilon(group: Command): void {
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
      withGaussian(withDelta(command))
        .option('--noise <number>', 'standard deviation of Gaussian noise', numberOption('noise'))
        .option(
          '--release <description>',
          'a release as gaussian|laplace|k-norm,noise=…[,sensitivity=…][,count=…][,rate=…][,dimension=…] (repeatable)',
          repeated,
        ),
    run: async (_args, options) => {
      const { everyEpsilon, promisedDelta, tightestEpsilon } = await import('@hushrec/privacy');
      const event = eventOf(options);
      const { delta } = options;
      promisedDelta(delta);
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
}
