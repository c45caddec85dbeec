import type { Command } from 'commander';
import { addCommand, integerOption, numberOption, OptionError, repeated } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { deltaText, epsilonText, lowerBoundText } from '../number-text.js';
import { settingsOf } from '../training-options.js';

interface AuditOptions {
  readonly epsilon: number;
  readonly delta: number;
  readonly runs: number;
  readonly confidence: number;
  readonly canary?: readonly string[];
  readonly oneRun?: number;
  readonly set?: readonly string[];
}

export function registerAudit(program: Command): void {
  addCommand<AuditOptions>(program, {
    usage: 'audit <method>',
    summary: 'attack a method with planted people and compare what leaks with what it claims',
    examples: [
      'hushrec audit dpals',
      'hushrec audit dpals --epsilon 5 --runs 4000 --confidence 0.999',
      'hushrec audit dpals --epsilon 1 --one-run 500',
      'hushrec audit private-als --set unit=rating-value --canary far-out',
    ],
    fields: ['method', 'lowerBound', 'confidence', 'claimed', 'delta', 'runs', 'ok', 'checks'],
    configure: (command) =>
      command
        .option(
          '--epsilon <number>',
          'ε the method is asked for; small values need very many runs',
          numberOption('epsilon'),
          10,
        )
        .option('--delta <number>', 'δ the method is asked for', numberOption('delta'), 1e-5)
        .option(
          '--runs <number>',
          'trainings with the planted person, and as many without, per kind',
          integerOption('runs', 10),
          500,
        )
        .option('--confidence <number>', 'of the lower bound', numberOption('confidence'), 0.99999)
        .option('--canary <kind>', 'rare-items, far-out or every-item (repeatable)', repeated)
        .option(
          '--one-run <canaries>',
          'train once with this many planted people instead of many times with one',
          integerOption('one-run', 10, 100_000),
        )
        .option('--set <key=value>', 'a setting of the method (repeatable)', repeated),
    run: async ([method], options, { progress, signal }) => {
      const { auditMethod, auditOneRun, canaryKinds } = await import('@hushrec/audit');
      const { methodById } = await import('@hushrec/factorize');
      const { createEngine } = await import('@hushrec/numerics');
      if (methodById(method!).protects.length === 0)
        throw new OptionError(
          `${method} protects nobody, so there is no claim to test. Audit a private method.`,
        );
      if (!(options.confidence > 0 && options.confidence < 1))
        throw new OptionError(`--confidence is ${options.confidence}; expected a number between 0 and 1.`);
      const canaries = options.canary?.map((kind) => {
        const known = canaryKinds.find((each) => each === kind);
        if (known === undefined)
          throw new OptionError(`--canary is "${kind}"; expected one of ${canaryKinds.join(', ')}.`);
        return known;
      });
      const engine = await createEngine({ threads: 1 });
      try {
        const request = {
          method: method!,
          settings: settingsOf(options.set),
          epsilon: options.epsilon,
          delta: options.delta,
          confidence: options.confidence,
          engine,
          progress,
          signal,
        };
        const report =
          options.oneRun === undefined
            ? await auditMethod({ ...request, runs: options.runs, ...(canaries && { canaries }) })
            : await auditOneRun({ ...request, canaries: options.oneRun });
        const { lowerBound, claimed, confidence, runs, ok, checks } = report;
        return {
          json: report,
          text: [
            ...checks.map(
              (check) =>
                `${check.ok === null ? 'unseen' : check.ok ? 'ok    ' : 'FAILED'}  ${check.name}: ${check.detail}`,
            ),
            '',
            `In ${runs} ${runs === 1 ? 'training' : 'trainings'} of ${report.method} the attack shows ε ≥ ${lowerBoundText(lowerBound)} with confidence ${confidence}; ` +
              `claimed is ${claimed === null ? 'nothing' : `ε = ${epsilonText(claimed)}`} at δ = ${deltaText(report.delta)}.`,
            claimed === null
              ? 'There is no claim to contradict.'
              : ok
                ? 'Nothing contradicts the claim.'
                : 'The claim is FALSE, or the implementation is broken.',
          ].join('\n'),
          exitCode: ok ? exitCodes.done : exitCodes.failed,
        };
      } finally {
        await engine.close();
      }
    },
  });
}
