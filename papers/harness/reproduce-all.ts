import { join } from 'node:path';
import type { OutcomeStore } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import type { Claim } from './claim.js';
import { type ClaimRow, type Ended, reportOfClaims } from './claims-report.js';
import type { Experiment, Finding } from './experiment.js';
import {
  commandOf,
  finishedBefore,
  minutesOf,
  type Reproduced,
  type ReproductionHost,
  type ReproductionOptions,
  runExperiment,
} from './reproduction.js';

type Experiments = typeof import('../experiments.js');

/** For programs, and for people. */
interface Outcome {
  readonly json: object;
  readonly text: string;
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
  store: OutcomeStore,
  context: ReproductionHost,
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
    `${left.length} of ${wanted.length} experiments are to be run: about ${Math.ceil(minutes)} minutes of processor time. ${before.size} were finished before${before.size === 0 ? '' : ' (another --out runs them again)'}, ${wanted.length - left.length - before.size} lack their data. It can be stopped with Ctrl-C; the same command goes on where it was.`,
  );
  const ended: Ended[] = [];
  const report = join(out, quick ? 'all.quick.html' : 'all.html');
  const rows = () => claims.map((claim) => claimRow(claim, ended, judging, quick));
  // What needs no running comes first: a report of it is there at once.
  const inTurn = [...wanted.filter((each) => !left.includes(each)), ...left];
  for (const experiment of inTurn) {
    const { id } = experiment;
    context.say(`${ended.length + 1}/${wanted.length} ${id}`);
    const lacking = missing(experiment);
    if (lacking.length > 0 && !before.has(id))
      ended.push({
        experiment: id,
        notRun: `not run: needs ${lacking.join(', ')}`,
        why: lacking.map(howToGet).join(' '),
      });
    else
      ended.push(
        before.get(id) ??
          (await attempted(context, report, experiment, () =>
            runExperiment(experiment, options, engine, store, context),
          )),
      );
    await context.write(report, context.draw(reportOfClaims(rows(), ended, wanted, quick)));
  }
  return outcomeOf(rows(), quick, report);
}

/** The verdicts. */
function outcomeOf(verdicts: readonly ClaimRow[], quick: boolean, report: string): Outcome {
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

/** One that fails does not stop the others; Ctrl-C does. */
async function attempted(
  context: Pick<ReproductionHost, 'signal' | 'say'>,
  report: string,
  { id }: Experiment,
  run: () => Promise<Reproduced>,
): Promise<Ended> {
  try {
    return await run();
  } catch (error) {
    if (!context.signal.aborted) return { experiment: id, notRun: 'failed', why: (error as Error).message };
    context.say(`Stopped at ${id}. The same command goes on from there; ${report} has what is finished.`);
    throw error;
  }
}

/** How findings become the verdict on a claim. */
type Judging = Pick<Experiments, 'findingsOf' | 'judged' | 'measuresOf'>;

function claimRow(
  claim: Claim,
  ended: readonly Ended[],
  { findingsOf, judged, measuresOf }: Judging,
  quick: boolean,
): ClaimRow {
  const { paper, where, says, experiment } = claim;
  const own = ended.find((each) => each.experiment === experiment);
  const command = commandOf(experiment, quick);
  const row = { paper, where, says, experiment, command, ...(claim.cause && { cause: claim.cause }) };
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
    verdict: judged(decided, claim.cause),
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
