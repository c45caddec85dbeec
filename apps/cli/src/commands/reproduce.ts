import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Experiment, ExperimentResult, Finding } from '@hushrec/experiments';
import { type Command, Option } from 'commander';
import { addCommand, integerOption, OptionError } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';

interface ReproduceFlags {
  readonly list?: boolean;
  readonly data?: string;
  readonly quick?: boolean;
  readonly seed: number;
  readonly threads?: number;
  readonly out: string;
  readonly fresh?: boolean;
}

export function registerReproduce(program: Command): void {
  addCommand<ReproduceFlags>(program, {
    usage: 'reproduce [experiment]',
    summary: 'run a published table or figure again and print published against measured',
    examples: [
      'hushrec reproduce --list',
      'hushrec reproduce dpals/synthetic',
      'hushrec reproduce friedman/table3 --data datasets',
    ],
    fields: [
      'experiments (with --list)',
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
        .option('--out <folder>', 'where the report goes, and the runs that are finished', 'reproductions')
        .option('--fresh', 'forget finished runs of that folder instead of going on where they ended'),
    run: async ([id], flags, context) => {
      const { experiments } = await loadExperiments();
      if (id === undefined || flags.list === true) return list(experiments);
      const experiment = experiments.find((each) => each.id === id);
      if (experiment === undefined)
        throw new OptionError(`There is no experiment "${id}". See \`hushrec reproduce --list\`.`);
      if (experiment.needs.length > 0 && flags.data === undefined)
        throw new CommandError(
          exitCodes.badData,
          `${id} needs ${experiment.needs.join(', ')}: give the folder that holds them with --data or HUSHREC_DATA.`,
        );
      const { fileRunStore } = await import('@hushrec/evaluate');
      const { createEngine } = await import('@hushrec/numerics');
      const { renderReport } = await import('@hushrec/report');
      const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
      try {
        const finished = join(flags.out, 'runs.jsonl');
        await mkdir(flags.out, { recursive: true });
        if (flags.fresh === true) await rm(finished, { force: true });
        const started = performance.now();
        const result = await experiment.run({
          ...(flags.data !== undefined && { data: flags.data }),
          engine,
          quick: flags.quick === true,
          seed: flags.seed,
          store: fileRunStore(finished),
          progress: (stage, done, total) => context.progress({ stage, done, total }),
          signal: context.signal,
        });
        const seconds = Math.round((performance.now() - started) / 1000);
        const report = join(flags.out, `${id.replaceAll('/', '-')}.html`);
        await writeFile(
          report,
          renderReport({
            title: experiment.title,
            intro: [
              experiment.paper,
              result.guarantee,
              ...(flags.quick ? ['Quick run: fewer repetitions and points than published.'] : []),
            ],
            sections: [...result.sections, findingsSection(result)],
            footer: `Made by: hushrec reproduce ${id}${flags.quick ? ' --quick' : ''}, in ${seconds} s`,
          }),
        );
        return {
          json: {
            experiment: id,
            quick: flags.quick === true,
            findings: result.findings,
            guarantee: result.guarantee,
            report,
            seconds,
          },
          text: [
            `${experiment.title} (${experiment.paper})${flags.quick ? ', quick run' : ''}`,
            ...result.findings.map(findingLine),
            '',
            result.guarantee,
            report,
          ].join('\n'),
        };
      } finally {
        await engine.close();
      }
    },
  });
}

/** The experiments are not part of the published package: they are of use only to who has the repository. */
async function loadExperiments(): Promise<typeof import('@hushrec/experiments')> {
  try {
    return await import('@hushrec/experiments');
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
    text: experiments
      .map(
        ({ id, title, needs, minutes }) =>
          `${id.padEnd(width)}  ${title}; about ${minutes} min${needs.length > 0 ? `; needs ${needs.join(', ')}` : ''}`,
      )
      .join('\n'),
  };
}

function verdict({ holds }: Finding): string {
  if (holds === null) return 'reported';
  return holds === 'tie' ? 'a tie' : holds ? 'holds' : 'does NOT hold';
}

function findingLine(finding: Finding): string {
  const { what, published, measured, error, tolerance, note } = finding;
  const against = published === undefined ? 'figure only' : `published ${published}`;
  const spread = error === undefined || Number.isNaN(error) ? '' : ` ± ${Number(error.toPrecision(2))}`;
  const allowed = tolerance === undefined ? '' : ` (allowed ${tolerance})`;
  return `  ${what}: ${against}, measured ${Number(measured.toPrecision(5))}${spread}${allowed}: ${verdict(finding)}${note === undefined ? '' : `; ${note}`}`;
}

function findingsSection({ findings }: ExperimentResult) {
  return {
    heading: 'Published against measured',
    table: {
      columns: ['what', 'published', 'measured', 'standard error', 'allowed', 'verdict', 'note'].map(
        (label) => ({ label }),
      ),
      rows: findings.map((finding) => [
        finding.what,
        finding.published ?? null,
        finding.measured,
        finding.error ?? null,
        finding.tolerance ?? null,
        verdict(finding),
        finding.note ?? '',
      ]),
    },
  };
}
