import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  executeRun,
  ItemNoise,
  type LeftMemory,
  type Method,
  methodById,
  NeedsRatingsError,
  type PlannedRun,
  planRun,
  type Remembering,
  type RunContext,
  type RunData,
  requireAbout,
  withUserIds,
} from '@hushrec/factorize';
import { jobKeyOf, type Ledger, type Receipt } from '@hushrec/ledger';
import {
  type AccountStatement,
  PublicationError,
  type PublishedMemory,
  type PublishedModel,
} from '@hushrec/model';
import { checkModelFolder } from '@hushrec/model/folder';
import { certifiedReleases, checkCertifiable, checkStrength, faultInSelection } from '@hushrec/model/making';
import type { Engine } from '@hushrec/numerics';
import {
  type PrivacyRecord,
  peopleCoins,
  type ReleasedValue,
  type ReleaseRequest,
  RunSecret,
  targetEpsilon,
} from '@hushrec/privacy';
import { contentDigest, type FeatureSource } from '@hushrec/ratings';
import { DataChangedError, OtherRunLeftError, TrainingFailedError, type TrainingStep } from './failure.js';
import { type Finishing, finishLeftOver, finishLeftOvers, releasesFileOf, reportEnd } from './left-over.js';
import { SignalListener } from './live-signal.js';
import { loadPapers } from './load-papers.js';
import {
  adoptNextMemory,
  chainOf,
  encodeMemory,
  type KeptMemory,
  keepNextMemory,
  keptOf,
  memoryFileOf,
  readMemory,
  recalledFor,
  samplerDistanceOf,
  whyNotRemembered,
} from './memory-file.js';
import { mayBePaid, pay } from './pay.js';
import { type PinnedEngines, pinnedEngines } from './pinned-engines.js';
import { agreeOn, planHash, refuseOther } from './plan-hash.js';
import { certificateOfRun, type RunToCertify } from './publish/certificate-of-run.js';
import { manifestOfRun, type RunConditions } from './publish/manifest-of-run.js';
import { plannedNoise, watchRelease } from './publish/watch-release.js';
import { clearLeftOvers, writeModelFolder } from './publish/write-folder.js';
import { publicPart, publicPartOfSums } from './replay/public-part.js';
import { rehearse } from './replay/rehearse.js';
import { createReleaseLog, type ReleaseLog } from './replay/release-log.js';
import { trainWithTwin } from './replay/train-with-twin.js';
import { type KeptSecret, secretFileOf, secretFor } from './secret-file.js';
import type {
  Announcement,
  OpenedSource,
  TrainAndPublishRequest,
  TrainedAndPublished,
} from './training-request.js';

/**
 * The one way from a data set to a published model: plan → show → rehearse → charge → train beside a twin
 * without data → certify what was recorded → publish what the twin made → complete. Spending is durable
 * before the first release; a crash at any moment leaves either no model, or one that was paid for; `resume`
 * repeats a paid run with the same noise, and finishes one that had published its model.
 *
 * @throws TrainingFailedError, with the step and whether it was paid for
 */
export async function trainAndPublish(request: TrainAndPublishRequest): Promise<TrainedAndPublished> {
  const call = new TrainingCall(request);
  try {
    return await call.run();
  } catch (error) {
    throw await call.failed(error as Error);
  } finally {
    await call.close();
  }
}

/**
 * The plan that a call with this request announces before it does anything, or why it would be refused. Reads
 * no rating and spends nothing.
 */
export async function planTraining(request: PlanRequest): Promise<Announcement> {
  await loadPapers();
  const { memory } = await memoryFor(request);
  return announcementOf(request, memory);
}

/** What a plan follows from: everything but who is shown it. */
type PlanRequest = Omit<TrainAndPublishRequest, 'show'>;

function announcementOf(request: PlanRequest, memory: KeptMemory | undefined): Announcement {
  const { source, epsilon, delta, declaredPeople, seed } = request;
  const method = methodById(request.method);
  targetEpsilon(epsilon);
  if (method.protects.length > 0 && seed === undefined)
    checkStrength({ epsilon, delta, declaredPeople, acceptWeak: request.acceptWeak === true });
  const { settings, plan } = planOf(request, source.features);
  const simulation = seed !== undefined;
  const fault = Number.isFinite(plan.epsilon)
    ? faultInSelection(source.trainedOn, { ...plan, simulation })
    : undefined;
  // A part of the data whose choice no certificate covers is not trained on for one.
  if (fault !== undefined)
    throw new PublicationError(
      `No guarantee could be given for this model: ${fault} Train on all ratings (without --protocol), or give --seed for a simulation.`,
    );
  return { hash: hashOf(request, { method, settings, plan }, memory), method, settings, plan, simulation };
}

function planOf(
  request: PlanRequest,
  features: readonly FeatureSource[],
  noise?: Parameters<typeof planRun>[0]['noise'],
): PlannedRun {
  const { source, settings, epsilon, delta, accounting, declaredPeople, seed } = request;
  const method = methodById(request.method);
  return planRun({
    method,
    itemCount: source.itemCount,
    scale: source.scale,
    epsilon,
    delta: method.protects.length > 0 ? delta : 0,
    features,
    ...(settings && { settings }),
    refusesIdle: true,
    ...(declaredPeople !== undefined && { declaredPeople }),
    ...(seed !== undefined && { seed }),
    ...(noise && { noise }),
    accounting: { accounting: accounting ?? 'exact' },
  });
}

type ShownRun = Pick<PlannedRun, 'method' | 'settings' | 'plan'>;

function hashOf(
  { source, seed, out, declaredPeople, withReleases }: PlanRequest,
  run: ShownRun,
  memory: KeptMemory | undefined,
): string {
  return planHash(run, {
    source,
    simulation: seed !== undefined,
    declaredPeople,
    withReleases,
    model: basename(resolve(out)),
    ...(memory && { memory: memory.sha256 }),
  });
}

/** Whether a run leaves a memory: it is asked to, can, and is no simulation and not without a guarantee. */
function leavesMemory({ remember, seed, epsilon, method }: PlanRequest): boolean {
  const canRemember = methodById(method).remembers === true;
  return remember !== undefined && canRemember && seed === undefined && Number.isFinite(epsilon);
}

/** The memory that a run goes on from; where there is one that it leaves behind, why it begins anew. */
async function memoryFor(
  request: PlanRequest,
): Promise<{ readonly memory?: KeptMemory; readonly anew?: string }> {
  const { remember, out } = request;
  if (remember === undefined || !leavesMemory(request)) return {};
  const { anew } = remember;
  if (anew !== undefined) return existsSync(memoryFileOf(out)) ? { anew } : {};
  const memory = await readMemory(out);
  if (memory === undefined) return {};
  const why = whyNotRemembered(memory, knownOfRun(request, planOf(request, [])));
  return why === undefined ? { memory } : { anew: why };
}

function knownOfRun({ source }: PlanRequest, { method, settings }: ShownRun) {
  const { min, max, step } = source.scale;
  return {
    account: source.account.id,
    method: method.id,
    settings,
    scale: { min, max, step },
    part: source.trainedOn ?? null,
  };
}

/** A trained model, and what its certificate and manifest say of the run. */
type TrainedCall = RunToCertify & { readonly conditions: RunConditions };

/** One call of `trainAndPublish`: its steps in order, and what has to be undone or closed after each. */
class TrainingCall {
  readonly #request: TrainAndPublishRequest;
  readonly #out: string;
  #step: TrainingStep = 'plan';
  #ledger: Ledger | undefined;
  #secret: KeptSecret | undefined;
  #engines: PinnedEngines | undefined;
  #opened: OpenedSource | undefined;
  #receipt: Receipt | undefined;
  #accountAtIssue: AccountStatement | undefined;
  #mayBeCharged = false;
  #logFile: string | undefined;
  /** What earlier runs left, where this one goes on from it. */
  #memory: KeptMemory | undefined;
  /** Hash of the plan that was agreed to. */
  #agreed = '';

  constructor(request: TrainAndPublishRequest) {
    this.#request = request;
    this.#out = resolve(request.out);
  }

  async run(): Promise<TrainedAndPublished> {
    const { source, signal } = this.#request;
    await this.#enter('plan');
    await loadPapers();
    await clearLeftOvers(this.#out);
    await this.#lookAround();
    const finished = await this.#finishLeftOver();
    if (finished !== undefined) return finished;
    await checkModelFolder(this.#out, this.#request.overwrite === true);
    const method = methodById(this.#request.method);
    const { memory, anew } = await memoryFor(this.#request);
    this.#memory = memory;
    if (anew !== undefined) this.#request.say?.(`Memory begins anew: ${anew}.`);
    const isCharged = this.#showPlan();
    if (!isCharged) await this.#admitUnprotected(method);

    const opened = await source.open();
    this.#opened = opened;
    if (opened.identity !== source.identity || opened.account !== source.account.id)
      throw new DataChangedError();
    if (!('ratings' in opened) && method.needs === 'ratings') throw new NeedsRatingsError(method.id);
    this.#request.opened?.(opened);
    signal?.throwIfAborted();
    const planned = planOf(this.#request, opened.features);
    planned.method.checkSources?.(planned.settings, opened.features);
    if (planned.method.asksAbout?.(planned.settings))
      requireAbout(method.id, 'ratings' in opened ? opened : {});
    const engines = await pinnedEngines(this.#request.threads);
    this.#engines = engines;
    if (method.protects.length > 0) await this.#rehearse(planned, opened, engines.twinEngine);
    if (isCharged) {
      // With what was opened: this is the plan that is charged.
      const { features, items } = opened;
      const read = { ...source, features, ...(source.items && { items }) };
      refuseOther(this.#agreed, hashOf({ ...this.#request, source: read }, planned, memory));
      checkCertifiable(planned.plan);
      await this.#charge(planned, opened.features);
    }
    const trained = await this.#train(method, opened, engines);
    const published = await this.#publish(opened, trained);
    await this.#complete(published);
    return {
      ...published,
      directory: this.#out,
      plan: trained.record.plan,
      ledgerEntry: this.#receipt?.entry ?? null,
      resumed: this.#receipt?.resumed === true,
    };
  }

  /** Shows what is going to happen; whether the run has a finite proved cost, which is charged. */
  #showPlan(): boolean {
    const announced = announcementOf(this.#request, this.#memory);
    agreeOn(announced, this.#request);
    this.#agreed = announced.hash;
    return Number.isFinite(announced.plan.epsilon) && !announced.simulation;
  }

  async #rehearse(planned: PlannedRun, opened: OpenedSource, engine: Engine): Promise<void> {
    await this.#enter('rehearse');
    const { source, signal } = this.#request;
    const { unit } = planned.plan;
    const visible = 'ratings' in opened ? publicPart(opened.ratings, unit) : publicPartOfSums(source, unit);
    const remember = this.#remembering(opened);
    await rehearse(planned, visible, {
      features: opened.features,
      engine,
      ...(remember && { remember }),
      ...(signal && { signal }),
    });
  }

  /** Trains with noise from the secret, and keeps what certificate and manifest say of the run. */
  async #train(
    method: Method,
    opened: OpenedSource,
    { engine, twinEngine, kernel }: PinnedEngines,
  ): Promise<TrainedCall> {
    await this.#enter('train');
    const { source, epsilon, seed, progress, signal } = this.#request;
    const secret = new RunSecret({
      identity: source.identity,
      ...(seed !== undefined && { seed }),
      ...(this.#secret && { key: this.#secret.bytes }),
    });
    const run = planOf(this.#request, opened.features, {
      secret,
      ...(engine.pool && { threads: engine.pool }),
    });
    const publicSeed = seed ?? secret.publicSeed();
    const seen = new ItemNoise(source.itemCount);
    const log = await this.#openLog();
    const data: RunData =
      'ratings' in opened
        ? { ratings: opened.ratings, coins: peopleCoins(secret, opened.personIds) }
        : { people: await opened.people(engine), coins: peopleCoins(secret) };
    const remember = this.#remembering(opened);
    const input = {
      ...data,
      features: opened.features,
      engine,
      publicSeed,
      ...(remember && { remember }),
      ...(progress && { progress }),
      ...(signal && { signal }),
    };
    const isProved =
      Number.isFinite(run.plan.epsilon) || (method.protects.length > 0 && epsilon === Infinity);
    const trained = isProved
      ? await trainWithTwin(run, { ...input, twinEngine, released: this.#watcher(run, seen, log) })
      : await trainUnproved(run, input);
    await log?.close();
    const memory = await this.#keepMemory(run, opened, trained);
    const conditions = { method, settings: run.settings, publicSeed, kernel, ...(memory && { memory }) };
    return { ...trained, seen, conditions };
  }

  /** What is told every release: who reckons its noise, who listens, and the log. */
  #watcher({ recorder }: PlannedRun, seen: ItemNoise, log: ReleaseLog | undefined) {
    const { source, onSignal } = this.#request;
    const listener = onSignal && new SignalListener(source.itemCount, onSignal);
    return async (asked: ReleaseRequest, value: ReleasedValue) => {
      watchRelease(seen, recorder.plan, asked, value);
      listener?.hear(
        asked.release,
        value.kind === 'numbers' ? value.values : undefined,
        plannedNoise(recorder.plan, asked),
        seen,
      );
      await log?.write(asked, value);
    };
  }

  /** Certifies what was recorded, and writes the folder. */
  async #publish(opened: OpenedSource, trained: TrainedCall): Promise<PublishedModel> {
    await this.#enter('certify');
    const { source, settings, declaredPeople, codeVersion, overwrite, signingKey } = this.#request;
    const certificate = certificateOfRun(trained, {
      method: trained.conditions.method,
      given: settings ?? {},
      declaredPeople,
      account: source.account.id,
      ...(this.#accountAtIssue && { accountAtIssue: this.#accountAtIssue }),
      catalogue: source.catalogue,
      ledgerEntry: this.#receipt?.entry ?? null,
      codeVersion,
      ...(this.#memory && { remembered: chainOf(this.#memory) }),
    });

    await this.#enter('publish');
    const { model } = trained;
    return writeModelFolder(
      this.#out,
      {
        manifest: manifestOfRun(this.#request, opened, trained, trained.conditions),
        model: 'ratings' in opened ? withUserIds(model, opened.personIds) : model,
        certificate,
      },
      {
        overwrite: overwrite === true,
        signingKey,
        place: this.#request.place,
        releases: this.#logFile === undefined ? undefined : await readFile(this.#logFile),
        memory: this.#logFile === undefined ? undefined : this.#memory?.bytes,
      },
    );
  }

  /**
   * The model is in place, so the run is done: nothing stops it any more, and a ledger that fails now is told
   * later. Whatever lies beside the folder goes before the secret does, so that a call that is killed here is
   * found again by it.
   */
  async #complete(published: PublishedModel): Promise<void> {
    this.#step = 'complete';
    await this.#request.step?.('complete');
    if (this.#logFile !== undefined) await rm(this.#logFile, { force: true });
    if (this.#receipt === undefined) return;
    await adoptNextMemory(this.#out, published.manifest.run?.memory?.after);
    await this.#secret?.retire();
    const { entry } = this.#receipt;
    await reportEnd(this.#out, { entry, account: this.#request.source.account.id }, this.#finishing());
  }

  /**
   * A run that was stopped after its model was in place: nothing is left but to destroy its secret and to
   * note its end, also where another run is asked for. Whoever asks to resume it gets its model.
   */
  async #finishLeftOver(): Promise<TrainedAndPublished | undefined> {
    const published = await finishLeftOver(this.#out, this.#finishing());
    if (published === undefined || this.#request.resume !== true) return undefined;
    const { ledgerEntry } = published.certificate;
    if (!(await this.#isAskedFor(published))) throw new OtherRunLeftError(this.#out);
    const { plan } = planOf(this.#request, []);
    return { ...published, directory: this.#out, plan, ledgerEntry, resumed: true };
  }

  /** Whether a model was made by this request: same method, bounds and settings, on this content. */
  async #isAskedFor({ manifest, certificate }: PublishedModel): Promise<boolean> {
    const { method, epsilon, delta, settings = {}, source } = this.#request;
    const made: Readonly<Record<string, unknown>> = manifest.settings;
    const isSame =
      manifest.method === method &&
      certificate.account === source.account.id &&
      manifest.run?.epsilon === Number(epsilon) &&
      manifest.run.delta === Number(delta) &&
      Object.entries(settings).every(([name, value]) => String(made[name]) === String(value));
    if (!isSame || certificate.ledgerEntry === null) return false;
    const content = await this.#ledger?.wasTrainedOn(certificate.ledgerEntry, source.identity).catch(unknown);
    return content !== false;
  }

  /** What other runs left in the same folder; and of this one, where it is going to be refused. */
  #lookAround(): Promise<void> {
    const { resume, overwrite } = this.#request;
    const isRefused = resume !== true && overwrite !== true && existsSync(this.#out);
    return finishLeftOvers(dirname(this.#out), {
      ...this.#finishing(),
      ...(!isRefused && { except: this.#out }),
    });
  }

  #finishing(): Finishing {
    return {
      ledger: async () => (this.#ledger ??= await this.#request.ledger('write')),
      say: this.#request.say ?? (() => {}),
    };
  }

  /** What is thrown for an error; a run that was not paid for leaves no secret behind. */
  async failed(error: Error): Promise<Error> {
    const paid = this.#receipt !== undefined;
    const unpaid = !paid && !this.#mayBeCharged;
    if (unpaid) await this.#secret?.abandon();
    const kept = unpaid ? undefined : this.#secret?.file;
    if (error.name === 'AbortError') {
      if (paid) this.#request.say?.(`This run was paid for: repeat it with --resume. Its secret is ${kept}.`);
      return error;
    }
    return new TrainingFailedError(this.#step, paid, kept, error);
  }

  async close(): Promise<void> {
    if (this.#logFile !== undefined) await rm(this.#logFile, { force: true });
    if (this.#opened !== undefined && 'people' in this.#opened) await this.#opened.close?.();
    await this.#engines?.engine.close();
    await this.#engines?.twinEngine.close();
    await this.#ledger?.close();
  }

  async #enter(step: TrainingStep): Promise<void> {
    this.#step = step;
    await this.#request.step?.(step);
    this.#request.signal?.throwIfAborted();
  }

  /**
   * A run without a finite proved cost: refused where the account has a grant, unless told otherwise, and
   * recorded in any case.
   */
  async #admitUnprotected(method: Method): Promise<void> {
    const { source, seed, recordUnprotected, note } = this.#request;
    const told = recordUnprotected === true;
    const ledger = await this.#request.ledger('write');
    if (ledger === undefined) return;
    this.#ledger = ledger;
    const why =
      seed !== undefined
        ? 'the noise of a simulation follows from its seed'
        : method.protects.length > 0
          ? 'no ε is proved for what it releases'
          : `${method.id} adds no noise`;
    await ledger.recordUnprotected(
      {
        account: source.account.id,
        jobKey: randomUUID(),
        method: method.id,
        why,
        snapshot: source.identity,
        ...(note !== undefined && { note }),
      },
      { told },
    );
  }

  /** Makes the secret, then pays: both durable before anything about anyone is released. */
  async #charge(run: PlannedRun, features: readonly FeatureSource[]): Promise<void> {
    await this.#enter('charge');
    const { source, say, recordUnprotected, note } = this.#request;
    const ledger = await this.#request.ledger('write');
    if (ledger === undefined) throw new Error('A run that protects someone needs a ledger to be charged to.');
    this.#ledger = ledger;
    const selection = {
      split: source.trainedOn ?? null,
      features: features.map(contentDigest),
      ...(this.#memory && { memory: this.#memory.sha256 }),
    };
    const job = {
      dataset: source.identity,
      method: run.method.id,
      settings: run.settings,
      selection,
      plan: run.plan,
    };
    if (this.#request.resume !== true && existsSync(secretFileOf(this.#out)))
      say?.(
        `A run to ${this.#out} stopped before its end, and --resume would go on with it. This is a new run, charged by itself; its secret takes the place of the other’s.`,
      );
    this.#secret = await secretFor(this.#out, JSON.stringify(job), this.#request.resume === true);
    const bill = {
      account: source.account.id,
      snapshot: source.identity,
      jobKey: jobKeyOf({
        ...job,
        noiseKeyHash: createHash('sha256').update(this.#secret.bytes).digest('hex'),
      }),
      method: run.method.id,
      protection: { unit: run.plan.unit, relation: run.plan.relation },
      cost: { plan: run.plan },
      ...(note !== undefined && { note }),
    };
    const { hash } = await ledger.head();
    this.#mayBeCharged = true;
    try {
      this.#receipt = await pay(ledger, bill, { recordUnprotected, say });
    } catch (error) {
      this.#mayBeCharged = await mayBePaid(ledger, hash, error);
      throw error;
    }
    await this.#secret.notePaid({ entry: this.#receipt.entry, account: source.account.id });
    this.#accountAtIssue = await ledger.statement(bill.account, bill.protection, run.plan.delta);
  }

  /** What the run is given of earlier ones, in the order of its items; undefined where it leaves nothing. */
  #remembering({ items }: OpenedSource): Remembering | undefined {
    if (!leavesMemory(this.#request)) return undefined;
    return this.#memory === undefined
      ? {}
      : { before: recalledFor(this.#memory, items.itemIds, keptOf(this.#memory)) };
  }

  /** The memory that the run leaves, durable beside the model before that is in place. */
  async #keepMemory(
    run: PlannedRun,
    { items }: OpenedSource,
    { memory: left, record }: { readonly memory?: LeftMemory; readonly record: PrivacyRecord },
  ): Promise<PublishedMemory | undefined> {
    const { remember, say } = this.#request;
    const { total } = run.plan;
    if (left === undefined || remember === undefined || total === undefined) return undefined;
    if (this.#memory !== undefined && !left.isUsed)
      say?.(
        'What is remembered no longer fits what was released today: this run began anew. Its certificate still counts the runs before, as they were looked at; --begin-anew leaves them out.',
      );
    const { day } = remember;
    const next = encodeMemory({
      ...knownOfRun(this.#request, run),
      itemIds: items.itemIds,
      runs: [
        ...(this.#memory?.runs ?? []),
        { mu: total.mu, totalVariation: samplerDistanceOf(certifiedReleases(record)), day },
      ],
      before: this.#memory?.sha256 ?? null,
      ...left.after,
    });
    await keepNextMemory(this.#out, next);
    return {
      ...(this.#memory && { before: this.#memory.sha256, kept: keptOf(this.#memory) }),
      after: next.sha256,
      day,
    };
  }

  async #openLog() {
    if (this.#request.withReleases !== true) return undefined;
    this.#logFile = releasesFileOf(this.#out);
    return createReleaseLog(this.#logFile);
  }
}

function unknown(): undefined {
  return undefined;
}

/**
 * A method that publishes exact statistics has no releases to repeat it from, and a paper's method run as
 * printed may use raw numbers beside them. Neither gets a guarantee.
 */
async function trainUnproved(run: PlannedRun, input: Omit<RunContext, 'recorder'> & RunData) {
  const trained = await executeRun(run, { ...input, recorder: run.recorder });
  return { ...trained, record: run.recorder.finish() };
}
