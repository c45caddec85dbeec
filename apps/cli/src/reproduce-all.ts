import { join } from 'node:path';
import type { RunStore } from '@hushrec/evaluate';
import type { Claim, Experiment, Finding } from '@hushrec/experiments';
import type { Engine } from '@hushrec/numerics';
import { renderReport } from '@hushrec/report';
import type { CommandContext, Outcome } from './command.js';
import {
  commandOf,
  findingsSection,
  finishedBefore,
  type Reproduced,
  type ReproductionOptions,
  runExperiment,
} from './reproduction.js';
import { writeWhole } from './whole-file.js';

type Experiments = typeof import('@hushrec/experiments');

/** What became of one experiment. */
type Ended = Reproduced | { readonly experiment: string; readonly notRun: string; readonly why: string };

/** Processor minutes that an experiment takes, roughly. */
function minutesOf({ minutes, quickMinutes }: Experiment, quick: boolean): number {
  return quick ? (quickMinutes ?? 0.2 * minutes) : 2 * minutes;
}

/**
 * Every experiment that a claim of the five papers rests on, one after the other; what an earlier run
 * finished is not run again. After each the report is written anew, so that there is one whatever happens.
 */
export async function reproduceAll(
  {
    claims,
    experiments,
    isThere,
    howToGet,
    ...judging
  }: Pick<Experiments, 'claims' | 'experiments' | 'isThere' | 'howToGet' | keyof Judging>,
  options: ReproductionOptions,
  engine: Engine,
  store: RunStore,
  context: Pick<CommandContext, 'progress' | 'signal' | 'say'>,
): Promise<Outcome> {
  const { quick, out, data } = options;
  const wanted = experiments.filter(({ id }) => claims.some(({ experiment }) => experiment === id));
  const before = new Map<string, Reproduced>();
  for (const { id } of wanted) {
    const kept = await finishedBefore(id, options);
    if (kept !== undefined) before.set(id, kept);
  }
  const missing = ({ needs }: Experiment) => needs.filter((needed) => !isThere(data, needed));
  const left = wanted.filter((each) => !before.has(each.id) && missing(each).length === 0);
  const minutes = left.reduce((sum, each) => sum + minutesOf(each, quick), 0);
  context.say(
    `${left.length} of ${wanted.length} experiments are to be run: about ${Math.ceil(minutes)} minutes of processor time. ${before.size} were finished before${before.size === 0 ? '' : ' (--fresh runs them again)'}, ${wanted.length - left.length - before.size} lack their data. It can be stopped with Ctrl-C; the same command goes on where it was.`,
  );
  const ended: Ended[] = [];
  const report = join(out, quick ? 'all.quick.html' : 'all.html');
  const rows = () => claims.map((claim) => claimRow(claim, ended, judging, quick));
  // What needs no running comes first: a report of it is there at once.
  const inTurn = [...wanted.filter((each) => !left.includes(each)), ...left];
  for (const experiment of inTurn) {
    const { id } = experiment;
    const lacking = missing(experiment);
    context.say(`${ended.length + 1}/${wanted.length} ${id}`);
    if (before.has(id)) ended.push(before.get(id)!);
    else if (lacking.length > 0)
      ended.push({
        experiment: id,
        notRun: `not run: needs ${lacking.join(', ')}`,
        why: lacking.map(howToGet).join(' '),
      });
    else {
      try {
        ended.push(await runExperiment(experiment, options, engine, store, context));
      } catch (error) {
        if (context.signal.aborted) {
          context.say(
            `Stopped at ${id}. The same command goes on from there; ${report} has what is finished.`,
          );
          throw error;
        }
        ended.push({ experiment: id, notRun: 'failed', why: (error as Error).message });
      }
    }
    await writeWhole(report, reportOf(rows(), ended, wanted, quick));
  }
  const verdicts = rows();
  return {
    json: {
      quick,
      report,
      claims: verdicts.map(({ paper, where, says, verdict, command }) => ({
        paper,
        where,
        says,
        verdict,
        command,
      })),
    },
    text: [
      ...verdicts.map(({ paper, where, says, verdict }) => `${paper}, ${where}: ${says}: ${verdict}`),
      '',
      report,
    ].join('\n'),
  };
}

/** How findings become the verdict on a claim. */
type Judging = Pick<Experiments, 'findingsOf' | 'judged' | 'measuresOf'>;

interface ClaimRow {
  readonly paper: string;
  readonly where: string;
  readonly says: string;
  readonly verdict: string;
  readonly measured: string;
  readonly experiment: string;
  readonly command: string;
}

function claimRow(
  claim: Claim,
  ended: readonly Ended[],
  { findingsOf, judged, measuresOf }: Judging,
  quick: boolean,
): ClaimRow {
  const { paper, where, says, experiment } = claim;
  const own = ended.find((each) => each.experiment === experiment);
  const command = commandOf(experiment, quick);
  const row = { paper, where, says, experiment, command };
  if (own === undefined) return { ...row, verdict: 'not run yet', measured: '' };
  if ('notRun' in own) return { ...row, verdict: own.notRun, measured: '' };
  const decided = findingsOf(claim, own.findings);
  const reported = own.findings.filter(({ what }) => claim.by.test(what));
  if (reported.length === 0)
    return { ...row, verdict: quick ? 'not run: in the full run only' : 'not run', measured: '' };
  const findings = decided.length > 0 ? decided : reported;
  const name = measuresOf(claim, findings);
  return {
    ...row,
    verdict: judged(decided),
    measured: (name === undefined ? '' : `${name}: `) + numbersOf(findings),
  };
}

/** So many findings are shown one by one; of more, those with a published number, and how far all reach. */
const shownOneByOne = 5;

function numbersOf(findings: readonly Finding[]): string {
  const numberOf = ({ published, measured, error }: Finding) => {
    const spread = error === undefined || Number.isNaN(error) ? '' : ` ± ${Number(error.toPrecision(2))}`;
    const against = published === undefined ? '' : ` (published ${Number(published.toPrecision(3))})`;
    return `${Number(measured.toPrecision(3))}${spread}${against}`;
  };
  if (findings.length <= shownOneByOne) return findings.map(numberOf).join('; ');
  const printed = findings.filter(({ published }) => published !== undefined).slice(0, shownOneByOne);
  const measured = findings.map((finding) => finding.measured);
  const [least, most] = [Math.min(...measured), Math.max(...measured)].map((each) => each.toPrecision(3));
  return [
    ...printed.map(numberOf),
    `${findings.length} in all, from ${Number(least)} to ${Number(most)}`,
  ].join('; ');
}

const outcomes = ['hold', 'do not hold', 'tie', 'hold in part', 'reported only', 'not run'] as const;

function outcomeOf({ verdict }: ClaimRow): (typeof outcomes)[number] {
  if (verdict === 'holds') return 'hold';
  if (verdict === 'does not hold') return 'do not hold';
  if (verdict === 'a tie') return 'tie';
  if (verdict === 'reported only') return 'reported only';
  return /^not run|^failed/.test(verdict) ? 'not run' : 'hold in part';
}

/** How many claims came out in which way. */
function countsOf(rows: readonly ClaimRow[]): ReadonlyMap<(typeof outcomes)[number], number> {
  const counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  for (const row of rows) counts.set(outcomeOf(row), counts.get(outcomeOf(row))! + 1);
  return counts;
}

function reportOf(
  rows: readonly ClaimRow[],
  ended: readonly Ended[],
  wanted: readonly Experiment[],
  quick: boolean,
): string {
  const papers = [...new Set(rows.map(({ paper }) => paper))];
  const finished = ended.filter((each): each is Reproduced => 'findings' in each);
  const cpu = finished.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / 60;
  const notRun = ended.filter((each): each is Exclude<Ended, Reproduced> => 'notRun' in each);
  const all = countsOf(rows);
  return renderReport({
    title: 'What five papers say, and what holds here',
    intro: [
      `${rows.length} claims: ${outcomes.map((outcome) => `${all.get(outcome)} ${outcome}`).join(', ')}. ${finished.length} of ${wanted.length} experiments are finished.`,
      `How to read it. Each row is one claim: where the paper makes it, what it says, whether that holds here, and what was measured. A claim is decided by findings of the experiment in the last column; a difference beyond two standard errors holds or does not hold, one within them is a tie${quick ? ', and where something was run once, which has no error, the sign decides' : ''}. A gain says how much better the first-named is, so that a negative one is a loss; ± is a standard error, and where the paper prints the number it stands beside ours. “Asked here” is what a paper leaves open. ${commandOf('<experiment>', quick)} runs it by itself, and its figures are further down.`,
      'What differs from the papers. Data that may not be passed on is replaced: MovieLens 1M stands in for 10M and 20M, and its noise is scaled down, unless a row says otherwise, as if the 69,878 people of 10M had taken part. Methods that are not private as printed have been repaired, so that each ε is a proved one, but for “as printed” and “as claimed” rows of Friedman et al. and Ran et al.',
      ...(quick
        ? [
            'Quick run: fewer repetitions, candidates and points, sometimes fewer people. A first look, not a result.',
          ]
        : []),
    ],
    sections: [
      {
        heading: 'Paper by paper',
        table: {
          columns: ['paper', 'claims', ...outcomes],
          rows: papers.map((paper) => {
            const own = rows.filter((row) => row.paper === paper);
            const counts = countsOf(own);
            return [paper, own.length, ...outcomes.map((outcome) => counts.get(outcome) ?? 0)];
          }),
        },
      },
      ...papers.map((paper) => ({
        heading: paper,
        table: {
          columns: ['where', 'it says', 'here', 'measured', 'experiment'],
          rows: rows
            .filter((row) => row.paper === paper)
            .map(({ where, says, verdict, measured, experiment }) => [
              where,
              says,
              verdict,
              measured,
              experiment,
            ]),
        },
      })),
      ...(notRun.length === 0
        ? []
        : [
            {
              heading: 'What was not run, and why',
              table: {
                columns: ['experiment', 'why'],
                rows: notRun.map(({ experiment, why }) => [experiment, why]),
              },
            },
          ]),
      ...finished.map((each) => {
        const title = wanted.find(({ id }) => id === each.experiment)?.title ?? each.experiment;
        return { ...findingsSection(`${each.experiment}: ${title}`, each), text: each.guarantee };
      }),
    ],
    footer: `Made by: ${commandOf('all', quick)}; ${cpu.toFixed(0)} minutes of processor time`,
  });
}
