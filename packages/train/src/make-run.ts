import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RunOverError } from '@hushrec/federate';
import { jobKeyOf, type Ledger, type PlannedCost, type Protection, type Receipt } from '@hushrec/ledger';
import type { PublishedModel } from '@hushrec/model';
import { type CalibratedPlan, RunSecret, sha256Hex } from '@hushrec/privacy';
import { FigureLeftError, NoFigureLeftError, TrainingFailedError } from './failure.js';
import { mayBePaid, pay } from './pay.js';
import { agreeOn, type PlannedWork, workHash } from './plan-hash.js';
import { clearLeftOvers } from './publish/write-folder.js';
import { type EndedRun, publishFederated } from './publish-federated.js';
import { isOverwritten, retireSecret, secretFileOf, secretFor, unreportedFileOf } from './secret-file.js';
import { trainAndPublish } from './train-and-publish.js';
import type { Shown, TrainAndPublishRequest, TrainedAndPublished } from './training-request.js';

/** Whose people a run is about, and where what it costs them is written down. */
interface Charged extends Pick<TrainAndPublishRequest, 'ledger' | 'note' | 'say'> {
  readonly source: { readonly account: { readonly id: string }; readonly identity?: string };
  readonly method: string;
}

/** A model of a data set: the plan follows from the request, and is shown before anything happens. */
export type TrainingRun = TrainAndPublishRequest & { readonly kind: 'training' };

/**
 * Work that hands out numbers about people as its plan says, but makes no model of its own: a party's share
 * of a federated run.
 */
export interface WorkRun<Result> extends Charged, Shown<unknown> {
  readonly kind: 'party';
  readonly plan: CalibratedPlan;
  /** Names the run: it is paid for once, however often it is begun. */
  readonly job: string;
  /** Pays before the first number leaves, and not before it is sure to be wanted. */
  readonly work: (pay: () => Promise<void>) => Promise<Result>;
}

/** A figure of a model on what people chose, with noise. */
export interface FigureRun<Result> extends Charged, Shown<unknown> {
  readonly kind: 'figure';
  readonly source: { readonly account: { readonly id: string }; readonly identity: string };
  readonly plan: CalibratedPlan;
  /** What decides the sums besides plan and data. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What else decides how they are rounded: the same noise is for the same sums alone. */
  readonly rounding: Readonly<Record<string, string>>;
  /** The secret of the noise is kept at `<beside>.noise-key` from before the charge until `told`. */
  readonly beside: string;
  /** Goes on with the figure that stopped there: the same noise, and no second charge. */
  readonly resume: boolean;
  readonly work: (pay: () => Promise<void>, secret: RunSecret) => Promise<Result>;
}

/** A figure, and what to call when whoever paid for it has seen it: its secret goes then. */
export interface FigureDone<Result> {
  readonly result: Result;
  readonly receipt: Receipt;
  readonly told: () => Promise<void>;
}

/** Choosing among runs whose results people look at; the runs themselves are made elsewhere. */
export interface TuningRun extends Charged, Shown<unknown> {
  readonly kind: 'tuning';
  readonly cost: PlannedCost;
  readonly protection: Protection;
}

/** The model of a federated run that has ended, from its signed log; each party was charged for its own. */
export interface FederatedModel extends EndedRun {
  readonly kind: 'federated model';
  readonly out: string;
  readonly overwrite: boolean;
}

/** What came of work, and what paid for it: nothing where it did not come to that. */
export interface WorkDone<Result> {
  readonly result: Result;
  readonly receipt: Receipt | undefined;
}

/** The job of a federated run, by the hash of its charter. */
export const jobOfCharter = (hash: string) => `federated ${hash}`;

/**
 * The door: every way to a number about people (command line, library, server, refresh, cluster, parties)
 * describes a run as one value and hands it in here. Nothing else charges an account or writes a model
 * (`tools/doors.mjs` holds that). A run that is charged shows its plan and starts with the hash that was
 * agreed to, or not at all. It is paid for whole, by `costOf`, before anything leaves, and noted as ended
 * when all of it is out.
 */
export function makeRun(run: TrainingRun): Promise<TrainedAndPublished>;
export function makeRun<Result>(run: WorkRun<Result>): Promise<WorkDone<Result>>;
export function makeRun<Result>(run: FigureRun<Result>): Promise<FigureDone<Result>>;
export function makeRun(run: TuningRun): Promise<Receipt>;
export function makeRun(run: FederatedModel): Promise<PublishedModel>;
export async function makeRun(
  run: TrainingRun | WorkRun<unknown> | FigureRun<unknown> | TuningRun | FederatedModel,
): Promise<unknown> {
  switch (run.kind) {
    case 'training':
      return trainAndPublish(run);
    case 'party':
      return work(run);
    case 'figure':
      return figure(run);
    case 'tuning':
      show(run, run);
      return inLedger(run, async (ledger) => {
        const receipt = await pay(ledger, { ...billTo(run), jobKey: randomUUID() });
        await ledger.complete(run.source.account.id, receipt);
        return receipt;
      });
    case 'federated model':
      return publishFederated(run, run);
  }
}

/**
 * Federated runs last for days: the ledger is opened to pay and again to say that it ended, as a run that
 * broke off has too; it stays charged.
 */
async function work(run: WorkRun<unknown>): Promise<WorkDone<unknown>> {
  let receipt: Receipt | undefined;
  const { account } = run.source;
  show(run, { ...paidBy(run.plan), settings: { job: run.job } });
  const end = async (note?: string) => {
    const paid = receipt;
    if (paid !== undefined) await inLedger(run, (ledger) => ledger.complete(account.id, paid, note));
  };
  try {
    const result = await run.work(async () => {
      receipt = await inLedger(run, (ledger) => {
        const bill = billTo({ ...run, ...paidBy(run.plan) });
        return pay(ledger, { ...bill, jobKey: run.job }, { say: run.say });
      });
    });
    await end();
    return { result, receipt };
  } catch (error) {
    if (error instanceof RunOverError) await end(error.message);
    throw error;
  }
}

/**
 * The secret is durable before the charge, and the charge before the release. Killed at any moment, nothing
 * was charged, or `resume` gives the same numbers for the same entry.
 */
async function figure(run: FigureRun<unknown>): Promise<FigureDone<unknown>> {
  const { source, method, plan, settings, resume, say } = run;
  const beside = resolve(run.beside);
  const file = secretFileOf(beside);
  show(run, { ...paidBy(plan), settings });
  await clearLeftOvers(beside);
  const forget = async () => {
    await retireSecret(beside);
    await rm(unreportedFileOf(beside), { force: true });
  };
  // What is left of a figure that was told; its ledger knows.
  if ((await isOverwritten(file)) || !existsSync(file)) await forget();
  if (existsSync(file) !== resume) throw resume ? new NoFigureLeftError(file) : new FigureLeftError(file);
  const job = { dataset: source.identity, method, settings: { ...settings, ...run.rounding }, plan };
  const secret = await secretFor(beside, JSON.stringify(job), resume);
  const bill = billTo({ ...run, ...paidBy(plan) });
  const noiseKeyHash = sha256Hex(secret.bytes);
  let receipt: Receipt | undefined;
  let mayBeCharged = false;
  const charge = async (ledger: Ledger) => {
    const { hash } = await ledger.head();
    mayBeCharged = true;
    try {
      return await pay(ledger, { ...bill, jobKey: jobKeyOf({ ...job, noiseKeyHash }) }, { say });
    } catch (error) {
      mayBeCharged = await mayBePaid(ledger, hash, error);
      throw error;
    }
  };
  try {
    const result = await run.work(
      async () => {
        receipt = await inLedger(run, charge);
        await secret.notePaid({ entry: receipt.entry, account: source.account.id });
      },
      new RunSecret({ key: secret.bytes, identity: source.identity }),
    );
    const paid = receipt;
    if (paid === undefined) throw new Error('A figure was released that was not paid for.');
    await inLedger(run, (ledger) => ledger.complete(source.account.id, paid));
    return { result, receipt: paid, told: forget };
  } catch (error) {
    const isPaid = receipt !== undefined;
    if (!isPaid && !mayBeCharged) {
      await secret.abandon();
      throw error;
    }
    throw new TrainingFailedError('train', isPaid, file, error as Error);
  }
}

function show(
  run: Charged & Shown<unknown>,
  { cost, protection, settings }: Omit<PlannedWork, 'account' | 'method'>,
): void {
  const work = { account: run.source.account.id, method: run.method, cost, protection };
  agreeOn({ hash: workHash({ ...work, ...(settings && { settings }) }) }, run);
}

function paidBy(plan: CalibratedPlan) {
  return { cost: { plan }, protection: { unit: plan.unit, relation: plan.relation } };
}

function billTo({ source, method, note, cost, protection }: Omit<TuningRun, 'kind' | 'show'>) {
  return {
    account: source.account.id,
    ...(source.identity !== undefined && { snapshot: source.identity }),
    method,
    protection,
    cost,
    ...(note !== undefined && { note }),
  };
}

async function inLedger<Result>(
  { ledger: open }: Pick<Charged, 'ledger'>,
  use: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await open('write');
  if (ledger === undefined) throw new Error('A run that protects someone needs a ledger to be charged to.');
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}
