import type { PlannedCost } from '@hushrec/ledger';
import type { Command } from 'commander';
import { addCommand, integerOption, numberOption, OptionError, usualDelta } from '../command.js';
import { type LedgerFlags, openAccountLedger } from '../dataset-ledger.js';
import { deltaText, epsilonText } from '../number-text.js';

interface TuneOptions extends LedgerFlags {
  readonly epsilon?: number;
  readonly delta: number;
  readonly runs?: number;
  readonly randomStopping?: boolean;
  readonly note?: string;
}

/** `hushrec ledger tune`: pays for choosing settings on the data before anyone looks at a result. */
export function registerLedgerTune(group: Command): void {
  addCommand<TuneOptions>(group, {
    usage: 'tune <account>',
    summary: 'pay for choosing the best of several runs on this data (people protected, add or remove)',
    examples: [
      'hushrec ledger tune sample --epsilon 0.3 --delta 1e-6 --runs 10',
      'hushrec ledger tune sample --epsilon 0.3 --delta 1e-6 --runs 100 --random-stopping',
    ],
    fields: ['entry', 'epsilon', 'delta', 'runs', 'randomStopping'],
    configure: (command) =>
      command
        .option('--epsilon <number>', 'ε of one run (Gaussian noise)', numberOption('epsilon'))
        .option('--delta <number>', 'δ of one run, and of the charge', numberOption('delta'), usualDelta)
        .option('--runs <n>', 'how many runs are made', integerOption('runs', 1))
        .option(
          '--random-stopping',
          'the number of runs is drawn (geometric, mean --runs), only the best by a private score is published (Papernot and Steinke 2022)',
        ),
    run: async ([named], options, { say }) => {
      const { epsilon, delta, runs, randomStopping = false } = options;
      if (epsilon === undefined || runs === undefined)
        throw new OptionError('Tuning needs --epsilon (of one run) and --runs.');
      const { promisedGaussianDelta, muFor, tightestEpsilon } = await import('@hushrec/privacy');
      promisedGaussianDelta(delta);
      const { costOf } = await import('@hushrec/ledger');
      const planned: PlannedCost = {
        base: { kind: 'gaussian', sensitivity: 1, noise: 1 / muFor(epsilon, delta) },
        tuning: randomStopping
          ? { kind: 'random-stopping', runs: { law: 'negative-binomial', shape: 1, mean: runs }, delta }
          : { kind: 'every-run', runs },
      };
      const charge = costOf(planned);
      const cost = charge.kind === 'event' ? tightestEpsilon(charge.event, delta).epsilon : charge.epsilon;
      const price = `ε = ${epsilonText(cost)} at δ = ${deltaText(delta)}`;
      const among = `${randomStopping ? `a random number of runs (on average ${runs})` : `${runs} runs`} of ε = ${epsilon}`;
      const { ledger, account } = await openAccountLedger(named, options, 'write');
      const { makeRun } = await import('@hushrec/train');
      const { entry } = await makeRun({
        kind: 'tuning',
        source: { account },
        method: 'tuning',
        cost: planned,
        protection: { unit: 'user', relation: 'add-remove' },
        show: (run) => {
          say(`Choosing among ${among} costs ${price}.`);
          return run.hash;
        },
        ledger: async () => ledger,
        ...(options.note !== undefined && { note: options.note }),
      });
      return {
        json: { entry, epsilon: cost, delta, runs, randomStopping },
        text: `Charged ${price} for ${among}.`,
      };
    },
  });
}
