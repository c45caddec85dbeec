import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  executeRun,
  ItemNoise,
  type Method,
  methodById,
  NeedsRatingsError,
  type PlannedRun,
  type Progress,
  planRun,
  type RunContext,
  type RunData,
  type SettingValues,
  withUserIds,
} from '@hushrec/factorize';
import { jobKeyOf, type Ledger, type Receipt, UnprotectedRunError } from '@hushrec/ledger';
import {
  type ModelManifest,
  modelFormat,
  type PublishedModel,
  type RatingRange,
  type SigningKey,
} from '@hushrec/model';
import { checkModelFolder, readModelFolder } from '@hushrec/model/folder';
import { createEngine, type Engine } from '@hushrec/numerics';
import {
  type Accounting,
  type CalibratedPlan,
  chargedEvent,
  peopleCoins,
  type ReleasedValue,
  type ReleaseRequest,
  RunSecret,
} from '@hushrec/privacy';
import { contentDigest, type FeatureSource, type RatingMatrix, type RatingScale } from '@hushrec/ratings';
import { TrainingFailedError, type TrainingStep } from './failure.js';
import { checkCertifiable, checkStrength } from './guard-rails.js';
import { type LiveSignal, SignalListener } from './live-signal.js';
import { certificateOfRun } from './publish/certificate-of-run.js';
import { plannedNoise, watchRelease } from './publish/watch-release.js';
import { clearLeftOvers, writeModelFolder } from './publish/write-folder.js';
import { publicPart, publicPartOfSums } from './replay/public-part.js';
import { rehearse } from './replay/rehearse.js';
import { createReleaseLog } from './replay/release-log.js';
import { trainWithTwin } from './replay/train-with-twin.js';
import { type KeptSecret, secretFileOf, secretFor } from './secret-file.js';

/** What is known of the data before it is opened, and how to open it. */
export interface TrainingSource {
  /** The ledger account behind the data. */
  readonly account: { readonly id: string; readonly name: string };
  /** Content hash of the data. It stays with the ledger and the noise, and is never published. */
  readonly identity: string;
  readonly itemCount: number;
  /** Scale of what is trained on. */
  readonly scale: RatingScale;
  readonly catalogue: 'declared' | 'rated items';
  /** Which part of the data is trained on, where it is not all of it: public. */
  readonly trainedOn?: Readonly<Record<string, string | number>>;
  open(): Promise<OpenedSource>;
}

export type OpenedSource = OpenedCatalogue & (OpenedRatings | OpenedPeople);

/** Everyone's ratings, in this process. */
export interface OpenedRatings {
  readonly ratings: RatingMatrix;
  /** Ids of the people in the rows. */
  readonly personIds: readonly string[];
}

type PeopleData = Extract<RunData, { readonly people: unknown }>;

/**
 * People who are elsewhere (in files, on a cluster): enough for methods that need no more than sums over
 * them.
 */
export interface OpenedPeople {
  people(engine: Engine): PeopleData['people'] | Promise<PeopleData['people']>;
  /** Called once, whatever happens. */
  close?(): Promise<void>;
}

interface OpenedCatalogue {
  readonly features: readonly FeatureSource[];
  /**
   * What is published of the items besides what is learned: their ids, and titles, links, images where there
   * are.
   */
  readonly items: Pick<ModelManifest, 'itemIds' | 'titles' | 'links' | 'images'>;
}

/** The plan of a run, told before anything happens. */
export interface Announcement {
  readonly method: Method;
  readonly settings: SettingValues;
  readonly plan: CalibratedPlan;
  readonly simulation: boolean;
}

export interface TrainAndPublishRequest {
  readonly source: TrainingSource;
  readonly method: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Infinity: no noise and no guarantee. */
  readonly epsilon: number;
  readonly delta: number;
  readonly accounting?: Accounting;
  readonly declaredPeople?: number;
  /** Makes the run a simulation: nobody is protected, nothing is charged. */
  readonly seed?: number;
  /** The model folder to write. */
  readonly out: string;
  readonly overwrite?: boolean;
  /** Repeats a run that stopped half-way: same noise, no second charge. */
  readonly resume?: boolean;
  /** Publishes the releases too, so that anyone can recompute the model from them. */
  readonly withReleases?: boolean;
  /** A weak guarantee (ε above 20, δ above 1/(10 × declared people)) is meant. */
  readonly acceptWeak?: boolean;
  /** A run without a finite guarantee is made although the account has a grant, and recorded. */
  readonly recordUnprotected?: boolean;
  readonly signingKey?: SigningKey | undefined;
  /**
   * Opens the ledger: `write` for a run that is charged; `read` to look whether a grant forbids a run without
   * a guarantee, where no ledger means no grant.
   */
  readonly ledger: (use: 'read' | 'write') => Promise<Ledger | undefined>;
  readonly threads?: number;
  readonly codeVersion: string;
  /** Told the plan and its guarantee before anything is charged or read. */
  readonly announce?: (announcement: Announcement) => void;
  readonly say?: (line: string) => void;
  /** Told of the sources that the method leaves unused. */
  readonly opened?: (opened: OpenedSource) => void;
  readonly progress?: (progress: Progress) => void;
  /** Told after each release what was released so far, and how much of it is more than noise. */
  readonly heard?: (live: LiveSignal) => void;
  readonly signal?: AbortSignal;
  /** For tests: told each step before it is taken. */
  readonly step?: (step: TrainingStep) => void | Promise<void>;
}

/** A model as it was published, and what it cost. */
export interface TrainedAndPublished extends PublishedModel {
  readonly directory: string;
  readonly plan: CalibratedPlan;
  readonly ledgerEntry: string | null;
  /** The charge had been made by an earlier attempt. */
  readonly resumed: boolean;
}

/**
 * The one way from a data set to a published model: plan → say → rehearse → charge → train beside a twin
 * without data → certify what was recorded → publish what the twin made → complete. Spending is durable
 * before the first release; a crash at any moment leaves either no model, or one that was paid for; `resume`
 * repeats a paid run with the same noise.
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

class TrainingCall {
  readonly #request: TrainAndPublishRequest;
  readonly #out: string;
  #step: TrainingStep = 'plan';
  #ledger: Ledger | undefined;
  #secret: KeptSecret | undefined;
  #engine: Engine | undefined;
  #twinEngine: Engine | undefined;
  #opened: OpenedSource | undefined;
  #receipt: Receipt | undefined;
  #mayBeCharged = false;
  #logFile: string | undefined;

  constructor(request: TrainAndPublishRequest) {
    this.#request = request;
    this.#out = resolve(request.out);
  }

  async run(): Promise<TrainedAndPublished> {
    const { source, method: id, epsilon, delta, seed, signal } = this.#request;
    await this.#enter('plan');
    await clearLeftOvers(this.#out);
    const finished = await this.#finishLeftOver();
    if (finished !== undefined) return finished;
    await checkModelFolder(this.#out, this.#request.overwrite === true);
    const method = methodById(id);
    const isPrivate = method.protects.length > 0;
    if (isPrivate && seed === undefined)
      checkStrength({
        epsilon,
        delta,
        declaredPeople: this.#request.declaredPeople,
        acceptWeak: this.#request.acceptWeak === true,
      });
    const preview = this.#plan(method, []);
    this.#request.announce?.({ ...preview, simulation: seed !== undefined });
    const isCharged = Number.isFinite(preview.plan.epsilon) && seed === undefined;
    if (!isCharged) await this.#admitUnprotected(method);

    const opened = await source.open();
    this.#opened = opened;
    if (!('ratings' in opened) && method.needs === 'ratings') throw new NeedsRatingsError(method.id);
    this.#request.opened?.(opened);
    signal?.throwIfAborted();
    const planned = this.#plan(method, opened.features);
    planned.method.checkSources?.(planned.settings, opened.features);
    const { engine, twinEngine, kernel } = await this.#engines();
    if (isPrivate) {
      await this.#enter('rehearse');
      const { unit } = planned.plan;
      const visible = 'ratings' in opened ? publicPart(opened.ratings, unit) : publicPartOfSums(source, unit);
      await rehearse(planned, visible, {
        features: opened.features,
        engine: twinEngine,
        ...(signal && { signal }),
      });
    }
    if (isCharged) {
      checkCertifiable(planned.plan);
      await this.#charge(planned, opened.features);
    }

    await this.#enter('train');
    const secret = new RunSecret({
      identity: source.identity,
      ...(seed !== undefined && { seed }),
      ...(this.#secret && { key: this.#secret.bytes }),
    });
    const run = this.#plan(method, opened.features, { secret, ...(engine.pool && { threads: engine.pool }) });
    const publicSeed = seed ?? secret.publicSeed();
    const seen = new ItemNoise(source.itemCount);
    const { heard } = this.#request;
    const listener = heard && new SignalListener(source.itemCount, heard);
    const log = await this.#openLog();
    const data: RunData =
      'ratings' in opened
        ? { ratings: opened.ratings, coins: peopleCoins(secret, opened.personIds) }
        : { people: await opened.people(engine), coins: peopleCoins(secret) };
    const input = {
      ...data,
      features: opened.features,
      engine,
      publicSeed,
      ...(this.#request.progress && { progress: this.#request.progress }),
      ...(signal && { signal }),
    };
    const isProved = Number.isFinite(run.plan.epsilon) || (isPrivate && epsilon === Infinity);
    const trained = isProved
      ? await trainWithTwin(run, {
          ...input,
          twinEngine,
          async released(asked: ReleaseRequest, value: ReleasedValue) {
            watchRelease(seen, run.recorder.plan, asked, value);
            listener?.hear(
              asked.release,
              value.kind === 'numbers' ? value.values : undefined,
              plannedNoise(run.recorder.plan, asked),
              seen,
            );
            await log?.write(asked, value);
          },
        })
      : await trainUnproved(run, input);
    await log?.close();

    await this.#enter('certify');
    const { model, facts, record } = trained;
    const certificate = certificateOfRun(
      { ...trained, seen },
      {
        method,
        given: this.#request.settings ?? {},
        declaredPeople: this.#request.declaredPeople,
        account: source.account.id,
        catalogue: source.catalogue,
        ledgerEntry: this.#receipt?.entry ?? null,
        codeVersion: this.#request.codeVersion,
      },
    );

    await this.#enter('publish');
    const published = await writeModelFolder(
      this.#out,
      {
        manifest: {
          format: modelFormat(model),
          method: method.id,
          settings: run.settings,
          ...(model.feedback === 'explicit' && { scale: rangeOf(source.scale) }),
          ...opened.items,
          versions: { hushrec: this.#request.codeVersion },
          run: {
            epsilon: Number.isFinite(epsilon) ? epsilon : null,
            delta,
            accounting: this.#request.accounting ?? 'exact',
            ...(this.#request.declaredPeople !== undefined && {
              declaredPeople: this.#request.declaredPeople,
            }),
            scale: rangeOf(source.scale),
            publicSeed,
            kernel,
            node: process.versions.node.split('.')[0],
            sources: opened.features.map((each) => ({
              name: each.name,
              kind: each.kind,
              sha256: contentDigest(each),
            })),
            ...(isPrivate &&
              record.plan.unit !== 'user' &&
              'ratings' in opened && { listedPeople: opened.ratings.userCount }),
            ...(source.trainedOn && { trainedOn: source.trainedOn }),
          },
          ...(facts && { facts }),
        },
        model: 'ratings' in opened ? withUserIds(model, opened.personIds) : model,
        certificate,
      },
      {
        overwrite: this.#request.overwrite === true,
        signingKey: this.#request.signingKey,
        releases: this.#logFile === undefined ? undefined : await readFile(this.#logFile),
      },
    );

    // Whatever lies beside the folder goes before the secret does, so that a call that is killed here is
    // found again by it.
    if (this.#logFile !== undefined) await rm(this.#logFile, { force: true });
    await this.#enter('complete');
    if (this.#receipt !== undefined) await this.#ledger?.complete(source.account.id, this.#receipt);
    await this.#secret?.destroy();
    return {
      ...published,
      directory: this.#out,
      plan: record.plan,
      ledgerEntry: this.#receipt?.entry ?? null,
      resumed: this.#receipt?.resumed === true,
    };
  }

  /**
   * A run that was stopped after its model was in place, and is asked to resume: nothing is left but to note
   * its end and to destroy its secret.
   */
  async #finishLeftOver(): Promise<TrainedAndPublished | undefined> {
    const { resume, overwrite, source } = this.#request;
    if (resume !== true || overwrite === true || !existsSync(this.#out)) return undefined;
    const file = secretFileOf(this.#out);
    if (!existsSync(file)) return undefined;
    const published = await readModelFolder(this.#out);
    const { ledgerEntry, account } = published.certificate;
    if (ledgerEntry === null || account !== source.account.id) return undefined;
    this.#ledger = await this.#request.ledger('write');
    await this.#ledger?.complete(account, { entry: ledgerEntry, number: 0, resumed: true });
    for (const left of [file, `${this.#out}.releases`]) await rm(left, { force: true });
    const { plan } = this.#plan(methodById(this.#request.method), []);
    return { ...published, directory: this.#out, plan, ledgerEntry, resumed: true };
  }

  /** What is thrown for an error; a run that was not paid for leaves no secret behind. */
  async failed(error: Error): Promise<Error> {
    const paid = this.#receipt !== undefined;
    const unpaid = !paid && (!this.#mayBeCharged || (error as { kind?: string }).kind === 'privacy');
    if (unpaid && this.#secret?.resumed === false) await this.#secret.destroy();
    if (error.name === 'AbortError') {
      if (paid)
        this.#request.say?.(
          `This run was paid for: repeat it with --resume. Its secret is ${this.#secret?.file}.`,
        );
      return error;
    }
    return new TrainingFailedError(this.#step, paid, this.#secret?.file, error);
  }

  async close(): Promise<void> {
    if (this.#logFile !== undefined) await rm(this.#logFile, { force: true });
    if (this.#opened !== undefined && 'people' in this.#opened) await this.#opened.close?.();
    await this.#engine?.close();
    await this.#twinEngine?.close();
    await this.#ledger?.close();
  }

  async #enter(step: TrainingStep): Promise<void> {
    this.#step = step;
    await this.#request.step?.(step);
    this.#request.signal?.throwIfAborted();
  }

  #plan(
    method: Method,
    features: readonly FeatureSource[],
    noise?: Parameters<typeof planRun>[0]['noise'],
  ): PlannedRun {
    const { source, settings, epsilon, delta, accounting, declaredPeople, seed } = this.#request;
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

  /**
   * The kernel is pinned, because others round differently, and a model must be repeatable from its releases
   * on any host.
   */
  async #engines(): Promise<{ engine: Engine; twinEngine: Engine; kernel: string }> {
    const threads = this.#request.threads === undefined ? {} : { threads: this.#request.threads };
    const kernel = await createEngine({ kernel: 'simd', threads: 1 }).then(
      (engine) => {
        this.#twinEngine = engine;
        return 'simd' as const;
      },
      () => 'scalar' as const,
    );
    const twinEngine = this.#twinEngine ?? (await createEngine({ kernel, threads: 1 }));
    this.#twinEngine = twinEngine;
    const engine = await createEngine({ kernel, ...threads });
    this.#engine = engine;
    return { engine, twinEngine, kernel };
  }

  /** A run without a finite proved cost: refused where the account has a grant, unless told otherwise. */
  async #admitUnprotected(method: Method): Promise<void> {
    const { source, seed, recordUnprotected } = this.#request;
    const told = recordUnprotected === true;
    const ledger = await this.#request.ledger(told ? 'write' : 'read');
    if (ledger === undefined) return;
    this.#ledger = ledger;
    const why =
      seed !== undefined
        ? 'the noise of a simulation follows from its seed'
        : method.protects.length > 0
          ? 'no ε is proved for what it releases'
          : `${method.id} adds no noise`;
    await ledger.recordUnprotected(
      { account: source.account.id, jobKey: randomUUID(), method: method.id, why, snapshot: source.identity },
      { told },
    );
  }

  /** Makes the secret, then pays: both durable before anything about anyone is released. */
  async #charge(run: PlannedRun, features: readonly FeatureSource[]): Promise<void> {
    await this.#enter('charge');
    const { source, say, recordUnprotected } = this.#request;
    const ledger = await this.#request.ledger('write');
    if (ledger === undefined) throw new Error('A run that protects someone needs a ledger to be charged to.');
    this.#ledger = ledger;
    const selection = { split: source.trainedOn ?? null, features: features.map(contentDigest) };
    const job = {
      dataset: source.identity,
      method: run.method.id,
      settings: run.settings,
      selection,
      plan: run.plan,
    };
    this.#secret = await secretFor(this.#out, JSON.stringify(job), this.#request.resume === true);
    const asked = {
      account: source.account.id,
      snapshot: source.identity,
      jobKey: jobKeyOf({
        ...job,
        noiseKeyHash: createHash('sha256').update(this.#secret.bytes).digest('hex'),
      }),
      method: run.method.id,
      protection: { unit: run.plan.unit, relation: run.plan.relation },
      charge: { kind: 'event', event: chargedEvent(run.plan) },
    } as const;
    this.#mayBeCharged = true;
    this.#receipt = await ledger.spend(asked).catch((error: unknown) => {
      if (!(recordUnprotected === true && error instanceof UnprotectedRunError)) throw error;
      const why = `it protects ${run.plan.unit} (${run.plan.relation}) alone`;
      return ledger.recordUnprotected({ ...asked, why }, { told: true });
    });
    say?.(
      this.#receipt?.resumed
        ? 'Paid for before: nothing is charged again.'
        : `Charged to ${ledger.location}.`,
    );
  }

  async #openLog() {
    if (this.#request.withReleases !== true) return undefined;
    this.#logFile = `${this.#out}.releases`;
    return createReleaseLog(this.#logFile);
  }
}

/**
 * A method that publishes exact statistics has no releases to repeat it from, and a paper's method run as
 * printed may use raw numbers beside them. Neither gets a guarantee.
 */
async function trainUnproved(run: PlannedRun, input: Omit<RunContext, 'recorder'> & RunData) {
  const trained = await executeRun(run, { ...input, recorder: run.recorder });
  return { ...trained, record: run.recorder.finish() };
}

function rangeOf({ min, max, step }: RatingScale): RatingRange {
  return { min, max, step };
}
