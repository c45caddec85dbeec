import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment } from '@hushrec/papers/experiments';
import { type Command, Option } from 'commander';
import { addCommand, integerOption, OptionError, type Outcome } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { writeWhole } from '../whole-file.js';

type Experiments = typeof import('@hushrec/papers/experiments');

interface ReproduceFlags {
  readonly list?: boolean;
  readonly data?: string;
  readonly quick?: boolean;
  readonly seed: number;
  readonly threads?: number;
  readonly out: string;
}

export function registerReproduce(program: Command): void {
  addCommand<ReproduceFlags>(program, {
    usage: 'reproduce [experiment]',
    summary: 'run a published table or figure again, or all, and print published against measured',
    examples: [
      'hushrec reproduce --list',
      'hushrec reproduce dpals/synthetic',
      'hushrec reproduce friedman/table3 --data datasets',
      'hushrec reproduce all --quick --data datasets',
    ],
    fields: [
      'experiments (with --list)',
      'claims (of all)',
      'experiment',
      'quick',
      'findings',
      'guarantee',
      'report',
      'seconds',
    ],
    configure: (command) =>
      command
        .option('--list', 'what can be reproduced, with the data it needs and the time it takes')
        .addOption(
          new Option('--data <folder>', 'folder with ml-100k, ml-1m, … as they are published').env(
            'HUSHREC_DATA',
          ),
        )
        .option('--quick', 'fewer runs and points: a first look, labelled as such')
        .option('--seed <n>', 'first seed', integerOption('seed', 0), 1)
        .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256))
        .option(
          '--out <folder>',
          'where the report goes; runs that are finished there are not made again',
          'reproductions',
        ),
    run: async ([id], flags, context) => {
      const known = await loadExperiments();
      if (id === undefined || flags.list === true) return list(known.experiments);
      const experiment = id === 'all' ? undefined : found(known, id, flags.data);
      const { fileOutcomeStore } = await import('@hushrec/evaluate');
      const { createEngine } = await import('@hushrec/numerics');
      const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
      try {
        await mkdir(flags.out, { recursive: true });
        const store = fileOutcomeStore(join(flags.out, 'runs.jsonl'));
        const { data, seed, out } = flags;
        const options = { data, seed, out, quick: flags.quick === true };
        const { pageReport } = await import('../page-report.js');
        const host = { ...context, draw: pageReport, write: writeWhole };
        if (experiment === undefined) return await known.reproduceAll(known, options, engine, store, host);
        return await reproduceOne(known, experiment, options, engine, store, host);
      } finally {
        await engine.close();
      }
    },
  });
}

/** The experiment of this name, whose data is there. @throws OptionError, CommandError */
function found(
  { experiments, isThere, howToGet }: Experiments,
  id: string,
  data: string | undefined,
): Experiment {
  const experiment = experiments.find((each) => each.id === id);
  if (experiment === undefined)
    throw new OptionError(`There is no experiment "${id}". See \`hushrec reproduce --list\`.`);
  const lacking = experiment.needs.filter((needed) => !isThere(data, needed));
  if (lacking.length > 0)
    throw new CommandError(
      exitCodes.badData,
      `${id} needs ${experiment.needs.join(', ')}; ${data === undefined ? 'give the folder that holds them with --data or HUSHREC_DATA' : `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not in ${data}`}. ${lacking.map(howToGet).join(' ')}`,
    );
  return experiment;
}

async function reproduceOne(
  { findingLine, minutesOf, runExperiment }: Experiments,
  ...run: Parameters<Experiments['runExperiment']>
): Promise<Outcome> {
  const [experiment, { quick }, , , context] = run;
  context.say(
    `${experiment.id} takes about ${Math.ceil(minutesOf(experiment, quick))} minutes of processor time. It can be stopped with Ctrl-C; the same command goes on where it was.`,
  );
  const { findings, guarantee, report, seconds } = await runExperiment(...run);
  return {
    json: { experiment: experiment.id, quick, findings, guarantee, report, seconds },
    text: [
      `${experiment.title} (${experiment.paper})${quick ? ', quick run' : ''}`,
      ...findings.map(findingLine),
      '',
      guarantee,
      report,
    ].join('\n'),
  };
}

/** The experiments are not part of the published package: they are of use only with the repository. */
async function loadExperiments(): Promise<Experiments> {
  try {
    return await import('@hushrec/papers/experiments');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandError(
      exitCodes.wrongUsage,
      'The published tables are reproduced from the repository of Hushrec, not from the installed package: clone it, run `npm install && npm run build` there, then `npx hushrec reproduce --list`.',
      { cause: error },
    );
  }
}

function list(experiments: readonly Experiment[]) {
  const width = Math.max(...experiments.map(({ id }) => id.length));
  return {
    json: {
      experiments: experiments.map(({ id, title, paper, needs, minutes }) => ({
        id,
        title,
        paper,
        needs,
        minutes,
      })),
    },
    text: [
      ...experiments.map(
        ({ id, title, needs, minutes }) =>
          `${id.padEnd(width)}  ${title}; about ${minutes} min${needs.length > 0 ? `; needs ${needs.join(', ')}` : ''}`,
      ),
      `${'all'.padEnd(width)}  Everything that a claim of the five papers rests on, in one report`,
    ].join('\n'),
  };
}
