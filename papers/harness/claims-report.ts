import type { Report, ReportSection } from '@hushrec/report';
import type { Claim } from './claim.js';
import type { Experiment } from './experiment.js';
import { commandOf, findingsSection, type Reproduced } from './reproduction.js';

/** What became of one experiment. */
export type Ended =
  | Reproduced
  | { readonly experiment: string; readonly notRun: string; readonly why: string };

/** One claim of a paper and what came of it here. */
export interface ClaimRow {
  readonly paper: string;
  readonly where: string;
  readonly says: string;
  readonly verdict: string;
  readonly measured: string;
  readonly experiment: string;
  readonly command: string;
  readonly cause?: Claim['cause'];
}

const outcomes = [
  'hold',
  'do not hold',
  'tie',
  'hold in part',
  'reported only',
  'not comparable',
  'not run',
] as const;

function outcomeOf({ verdict }: ClaimRow): (typeof outcomes)[number] {
  if (verdict === 'holds') return 'hold';
  if (verdict === 'does not hold') return 'do not hold';
  if (verdict === 'a tie') return 'tie';
  if (verdict === 'reported only' || verdict === 'not comparable') return verdict;
  return /^not run|^failed/.test(verdict) ? 'not run' : 'hold in part';
}

/** How many claims came out in which way. */
function countsOf(rows: readonly ClaimRow[]): ReadonlyMap<(typeof outcomes)[number], number> {
  const counts = new Map(outcomes.map((outcome) => [outcome, 0]));
  for (const row of rows) counts.set(outcomeOf(row), counts.get(outcomeOf(row))! + 1);
  return counts;
}

/** One page: counts by paper, a row for each claim, and the figures of every experiment. */
export function reportOfClaims(
  rows: readonly ClaimRow[],
  ended: readonly Ended[],
  wanted: readonly Experiment[],
  quick: boolean,
): Report {
  const papers = [...new Set(rows.map(({ paper }) => paper))];
  const finished = ended.filter((each): each is Reproduced => 'findings' in each);
  const cpu = finished.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / 60;
  const all = countsOf(rows);
  return {
    title: 'What five papers say, and what holds here',
    intro: [
      `${rows.length} claims: ${outcomes.map((outcome) => `${all.get(outcome)} ${outcome}`).join(', ')}. ${finished.length} of ${wanted.length} experiments are finished.`,
      `How to read it. Each row is one claim: where the paper makes it, what it says, whether that holds here, and what was measured. A claim is decided by findings of the experiment in the last column; a difference that a two-sided t test tells from none at 5% holds or does not hold, another is a tie, and what was run once is only reported. A gain says how much better the first-named is, so that a negative one is a loss; ± is a standard error, and where the paper prints the number it stands beside ours. “Asked here” is what a paper leaves open. ${commandOf('<experiment>', quick)} runs it by itself, and its figures are further down.`,
      'What differs from the papers. Data that may not be passed on is replaced: MovieLens 1M stands in for 10M and 20M, and its noise is scaled down, unless a row says otherwise, as if the 69,878 people of 10M had taken part. Methods that are not private as printed have been repaired, so that each ε is a proved one, but for “as printed” and “as claimed” rows of Friedman et al. and Ran et al.',
      ...(quick
        ? [
            'Quick run: fewer repetitions, candidates and points, sometimes fewer people. A first look, not a result.',
          ]
        : []),
    ],
    sections: [
      countsSection(papers, rows),
      ...failureSections(rows),
      ...papers.map((paper) => paperSection(paper, rows)),
      ...notRunSections(ended),
      ...finished.map((each) => {
        const title = wanted.find(({ id }) => id === each.experiment)?.title ?? each.experiment;
        return { ...findingsSection(`${each.experiment}: ${title}`, each), text: each.guarantee };
      }),
    ],
    footer: `Made by: ${commandOf('all', quick)}; ${cpu.toFixed(0)} minutes of processor time`,
  };
}

function countsSection(papers: readonly string[], rows: readonly ClaimRow[]): ReportSection {
  return {
    heading: 'Paper by paper',
    table: {
      columns: ['paper', 'claims', ...outcomes],
      rows: papers.map((paper) => {
        const own = rows.filter((row) => row.paper === paper);
        const counts = countsOf(own);
        return [paper, own.length, ...outcomes.map((outcome) => counts.get(outcome) ?? 0)];
      }),
    },
  };
}

/** One list of what does not hold, each with its cause as far as it is known. */
function failureSections(rows: readonly ClaimRow[]): ReportSection[] {
  const failed = rows.filter(({ verdict }) => /does not|not comparable/.test(verdict));
  if (failed.length === 0) return [];
  return [
    {
      heading: 'What does not hold, and why',
      table: {
        columns: ['paper', 'where', 'it says', 'here', 'cause', 'why'],
        rows: failed.map(({ paper, where, says, verdict, cause }) => [
          paper,
          where,
          says,
          verdict,
          cause?.kind ?? 'cause not found',
          cause?.why ?? '',
        ]),
      },
    },
  ];
}

function paperSection(paper: string, rows: readonly ClaimRow[]): ReportSection {
  return {
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
  };
}

function notRunSections(ended: readonly Ended[]): ReportSection[] {
  const notRun = ended.filter((each): each is Exclude<Ended, Reproduced> => 'notRun' in each);
  if (notRun.length === 0) return [];
  const rows = notRun.map(({ experiment, why }) => [experiment, why]);
  return [{ heading: 'What was not run, and why', table: { columns: ['experiment', 'why'], rows } }];
}
