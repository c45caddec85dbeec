import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OptionError } from './command.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { deltaText } from './number-text.js';
import { writeWhole } from './whole-file.js';

export const rhythms = ['day', 'week', 'month', 'quarter'] as const;
export type Rhythm = (typeof rhythms)[number];
export const spans = ['month', 'quarter', 'year'] as const;
export type Span = (typeof spans)[number];

/** Days from one refresh to the next, about: by which memory is forgotten. */
export const daysOfRhythm: Readonly<Record<Rhythm, number>> = { day: 1, week: 7, month: 30, quarter: 91 };

const format = 'hushrec-refresh-plan-1';

/**
 * When a model is refreshed and what each run may take, fixed before any of them by public knowledge. Days
 * are `YYYY-MM-DD` (UTC), `until` excluded.
 */
export interface RefreshPlan {
  readonly format: typeof format;
  readonly every: Rhythm;
  readonly from: string;
  readonly until: string;
  readonly runs: number;
  /** The total, and what the first run and each other one may take. */
  readonly epsilon: number;
  readonly delta: number;
  readonly first: number;
  readonly each: number;
}

/** How many refreshes a plan has: one on its first day, and one each time a day, week, … is over. */
export async function runsWithin(every: Rhythm, from: string, until: string): Promise<number> {
  const { startOf } = await import('@hushrec/ledger');
  let runs = 0;
  while (startOf(from, every, runs) < until) runs++;
  return runs;
}

export async function endOf(from: string, span: Span): Promise<string> {
  return (await import('@hushrec/ledger')).startOf(from, span, 1);
}

export function planFileOf(model: string): string {
  return `${resolve(model)}.plan.json`;
}

export async function keepRefreshPlan(model: string, plan: Omit<RefreshPlan, 'format'>): Promise<string> {
  const file = planFileOf(model);
  await writeWhole(file, `${JSON.stringify({ format, ...plan }, null, 2)}\n`);
  return file;
}

/** The plan that is kept beside a model; undefined where there is none. @throws CommandError */
export async function readRefreshPlan(model: string): Promise<RefreshPlan | undefined> {
  const file = planFileOf(model);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const damaged = (why: string) =>
    new CommandError(
      exitCodes.badData,
      `${file} is not a plan of refreshes: ${why} Make it again with \`hushrec ledger plan --every … --model\`, or delete it to refresh without one.`,
    );
  let plan: RefreshPlan;
  try {
    plan = JSON.parse(text) as RefreshPlan;
  } catch (error) {
    throw damaged((error as Error).message);
  }
  const isDay = (day: unknown) => typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day);
  const isAmount = (value: unknown) => typeof value === 'number' && value > 0 && value < Infinity;
  if (plan?.format !== format) throw damaged('it is of another format.');
  if (!rhythms.includes(plan.every) || !isDay(plan.from) || !isDay(plan.until))
    throw damaged('it does not say when.');
  if (![plan.first, plan.each, plan.epsilon, plan.delta].every(isAmount))
    throw damaged('it does not say how much each run may take.');
  return plan;
}

/** Whether a refresh is due on a day, and what it may take. */
export interface DueRefresh {
  readonly isDue: boolean;
  readonly epsilon: number;
  /** First day of the next one. */
  readonly next: string;
}

/**
 * A refresh is due once in each day, week, … of the plan. Which ones were made is public: the days of the
 * runs that the account remembers.
 */
export async function dueOn(plan: RefreshPlan, day: string, made: readonly string[]): Promise<DueRefresh> {
  const { startOf } = await import('@hushrec/ledger');
  if (day < plan.from || day >= plan.until)
    throw new OptionError(
      `The plan of refreshes is for ${plan.from} until ${plan.until}, and this run is of ${day}. Make a new one with \`hushrec ledger plan --every ${plan.every} --model\`, or delete it.`,
    );
  const under = made.filter((each) => each >= plan.from);
  let slot = 0;
  while (startOf(plan.from, plan.every, slot + 1) <= day) slot++;
  const begins = startOf(plan.from, plan.every, slot);
  return {
    isDue: !under.some((each) => each >= begins),
    epsilon: under.length === 0 ? plan.first : plan.each,
    next: startOf(plan.from, plan.every, slot + 1),
  };
}

export function planWords({ every, from, until, first, each, delta }: RefreshPlan): string {
  return `the plan of a refresh every ${every} from ${from} until ${until} (ε = ${first} for the first, ${each} for each other one, δ = ${deltaText(delta)})`;
}
