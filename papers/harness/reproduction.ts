import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutcomeStore } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import type { Report } from '@hushrec/report';
import type { Experiment, ExperimentResult, Finding } from './experiment.js';

/** What whoever has experiments run brings along. */
export interface ReproductionHost {
  readonly progress: (update: {
    readonly stage: string;
    readonly done: number;
    readonly total: number;
  }) => void;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** A report as a page. */
  readonly draw: (report: Report) => string;
  /** Writes a file, whole or not at all. */
  readonly write: (path: string, text: string) => Promise<void>;
}

/** How experiments are run. */
export interface ReproductionOptions {
  readonly data?: string | undefined;
  readonly quick: boolean;
  readonly seed: number;
  readonly out: string;
}

/** What is kept of a finished experiment, so that it need not be run again. */
export interface Reproduced {
  readonly experiment: string;
  readonly quick: boolean;
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly guarantee: string;
  readonly report: string;
  readonly seconds: number;
  /** Of processor time, all threads together. */
  readonly cpuSeconds: number;
}

/** Processor minutes that an experiment takes, roughly. */
export function minutesOf({ minutes, quickMinutes }: Experiment, quick: boolean): number {
  return quick ? (quickMinutes ?? 0.2 * minutes) : 2 * minutes;
}

/** Runs one experiment and writes its report, and its findings beside it. */
export async function runExperiment(
  experiment: Experiment,
  { data, quick, seed, out }: ReproductionOptions,
  engine: Engine,
  store: OutcomeStore,
  context: ReproductionHost,
): Promise<Reproduced> {
  await mkdir(out, { recursive: true });
  const started = performance.now();
  const before = process.cpuUsage();
  const result = await experiment.run({
    ...(data !== undefined && { data }),
    engine,
    quick,
    seed,
    store,
    progress: (stage, done, total) => context.progress({ stage, done, total }),
    found: (finding) => context.say(findingLine(finding).trim()),
    signal: context.signal,
  });
  const { user, system } = process.cpuUsage(before);
  const seconds = Math.round((performance.now() - started) / 1000);
  const report = join(out, `${fileOf(experiment.id)}.html`);
  await context.write(
    report,
    context.draw({
      title: experiment.title,
      intro: [
        experiment.paper,
        result.guarantee,
        ...(quick ? ['Quick run: fewer repetitions and points than published.'] : []),
      ],
      sections: [...result.sections, findingsSection('Published against measured', result)],
      footer: `Made by: ${commandOf(experiment.id, quick)}, in ${seconds} s`,
    }),
  );
  const reproduced: Reproduced = {
    experiment: experiment.id,
    quick,
    seed,
    findings: result.findings,
    guarantee: result.guarantee,
    report,
    seconds,
    cpuSeconds: Math.round((user + system) / 1e6),
  };
  await context.write(resultFile(out, experiment.id, quick), JSON.stringify(reproduced, withInfinities, 2));
  return reproduced;
}

/** What an earlier run with the same seed left in the folder; undefined where there is none. */
export async function finishedBefore(
  id: string,
  { out, quick, seed }: ReproductionOptions,
): Promise<Reproduced | undefined> {
  const text = await readFile(resultFile(out, id, quick), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text, backToInfinities) as Reproduced;
    return kept.seed === seed && kept.quick === quick ? kept : undefined;
  } catch {
    return undefined; // cut off by a crash: run it again
  }
}

export function commandOf(id: string, quick: boolean): string {
  return `hushrec reproduce ${id}${quick ? ' --quick' : ''}`;
}

function verdict({ holds }: Finding): string {
  if (holds === null) return 'reported';
  return holds === 'tie' ? 'a tie' : holds ? 'holds' : 'does NOT hold';
}

/** One finding as a line of text. */
export function findingLine(finding: Finding): string {
  const { what, published, measured, error, tolerance, note } = finding;
  const against = published === undefined ? 'figure only' : `published ${published}`;
  const spread =
    error === undefined || Number.isNaN(error) ? '' : ` ± ${Number(error.toPrecision(2))} (standard error)`;
  const allowed = tolerance === undefined ? '' : ` (allowed ${tolerance})`;
  return `  ${what}: ${against}, measured ${Number(measured.toPrecision(5))}${spread}${allowed}: ${verdict(finding)}${note === undefined ? '' : `; ${note}`}`;
}

export function findingsSection(heading: string, { findings }: Pick<ExperimentResult, 'findings'>) {
  return {
    heading,
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

const fileOf = (id: string) => id.replaceAll('/', '-');
const resultFile = (out: string, id: string, quick: boolean) =>
  join(out, `${fileOf(id)}${quick ? '.quick' : ''}.json`);

/** JSON has no ∞ and no NaN; a crossing that is never reached and an error of one run are both. */
function withInfinities(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
}

function backToInfinities(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'number' in value ? Number(value.number) : value;
}
