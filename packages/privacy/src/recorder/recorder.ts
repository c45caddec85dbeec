import type { PrivacyEvent } from '../event.js';
import type { NoiseThreads } from '../mechanisms/noise-threads.js';
import type { CalibratedPlan, CalibratedRelease, PlannedRelease } from '../plan/release-plan.js';
import { planStage } from '../plan/stages.js';
import { RunSecret, type SecretOptions } from '../random/run-secret.js';
import { PlanMismatchError, ReleaseRefusedError } from './errors.js';
import type { OpenRelease, PrivacyRecord, ReleaseRecorder } from './port.js';
import { RecordedRelease } from './release.js';

/** Where noise comes from, and what happens before a release. */
export interface RecorderOptions extends SecretOptions {
  /** The run's secret, where its coins come from it too; then neither seed nor key is given. */
  readonly secret?: RunSecret;
  /**
   * Threads of this process to draw Gaussian noise in; without them it is drawn here. The noise does not
   * depend on it.
   */
  readonly threads?: NoiseThreads;
  /**
   * Called before a release can see any statistic; a ledger makes the charge durable here. May return a
   * promise.
   */
  readonly beforeRelease?: (release: {
    readonly name: string;
    readonly occurrence: number;
    readonly event: PrivacyEvent;
  }) => void | Promise<void>;
}

/** The recorder of a calibrated plan. See `ReleaseRecorder`. */
export function createRecorder(plan: CalibratedPlan, options: RecorderOptions = {}): ReleaseRecorder {
  return new PlannedRecorder(plan, options);
}

class PlannedRecorder implements ReleaseRecorder {
  readonly #options: RecorderOptions;
  readonly #secret: RunSecret;
  readonly #book: PlanBook<RecordedRelease>;

  constructor(plan: CalibratedPlan, options: RecorderOptions) {
    this.#options = options;
    this.#secret = options.secret ?? new RunSecret(options);
    this.#book = new PlanBook(plan);
  }

  get plan(): CalibratedPlan {
    return this.#book.plan;
  }

  get simulation(): boolean {
    return this.#secret.simulation;
  }

  stage(lines: readonly PlannedRelease[]): void {
    this.#book.stage(lines);
  }

  begin(name: string): OpenRelease {
    return this.#book.open(
      name,
      (line, occurrence, count) =>
        new RecordedRelease(line, {
          secret: this.#secret,
          occurrence,
          charged: this.#charge(line, occurrence),
          count,
          ...(this.#options.threads && { threads: this.#options.threads }),
        }),
    );
  }

  async #charge(line: CalibratedRelease, occurrence: number): Promise<void> {
    await this.#options.beforeRelease?.({ name: line.name, occurrence, event: line.event });
  }

  finish(): PrivacyRecord {
    const releases = this.#book.finish().map(({ name, count, made }) => ({
      name,
      count,
      event: leastNoisy(made.map((release) => release.event)),
    }));
    let distance = 0;
    for (const release of this.#book.all()) distance += release.samplerDistance;
    const events: PrivacyEvent[] = releases.map(({ event, count }) =>
      count === 1 ? event : { kind: 'repeated', event, count },
    );
    if (distance > 0) events.push({ kind: 'sampler-distance', totalVariation: distance });
    return { plan: this.plan, simulation: this.simulation, releases, event: { kind: 'composed', events } };
  }
}

/** Which lines of a plan were released how often; refuses what is not in it. Shared by all recorders. */
export class PlanBook<Release extends { readonly closed: boolean }> {
  readonly #releases = new Map<string, Release[]>();
  #plan: CalibratedPlan;
  #stages = 0;
  #laterNumbers = 0;

  constructor(plan: CalibratedPlan) {
    this.#plan = plan;
  }

  get plan(): CalibratedPlan {
    return this.#plan;
  }

  stage(lines: readonly PlannedRelease[]): void {
    const staged = planStage(this.#plan, lines, this.#stages);
    this.#stages++;
    this.#plan = { ...this.#plan, releases: [...this.#plan.releases, ...staged] };
  }

  /**
   * Makes the next occurrence of a planned line; `count` is to be told of numbers before they are released.
   */
  open(
    name: string,
    make: (line: CalibratedRelease, occurrence: number, count: (numbers: number) => void) => Release,
  ): Release {
    const { releases } = this.#plan;
    const line = releases.find((release) => release.name === name);
    if (line === undefined)
      throw new ReleaseRefusedError(
        name,
        'not-planned',
        `not in the plan. Planned: ${releases.map((release) => release.name).join(', ') || 'nothing'}.`,
      );
    const made = this.#releases.get(name) ?? [];
    if (made.length >= line.count)
      throw new ReleaseRefusedError(name, 'too-many', `planned ${line.count} times, all of them made.`);
    let own = 0;
    const release = make(line, made.length, (numbers) => {
      own += numbers;
      this.#countNumbers(name, numbers, own);
    });
    this.#releases.set(name, [...made, release]);
    return release;
  }

  /** Refuses numbers of later stages beyond the declared envelope. */
  #countNumbers(name: string, numbers: number, own: number): void {
    const { later, total, releases } = this.#plan;
    if (later === undefined || total === undefined) return;
    if (releases.findIndex((line) => line.name === name) < total.firstStage) return;
    const most = later.allowed.find((line) => line.name === name)?.numbers ?? 0;
    this.#laterNumbers += numbers;
    if (own > most || this.#laterNumbers > later.numbers)
      throw new ReleaseRefusedError(
        name,
        'too-many',
        `${own} numbers of one release and ${this.#laterNumbers} in all are beyond the declared envelope (${most}, ${later.numbers}).`,
      );
  }

  /** Every line with its releases, once the plan was carried out exactly; fails otherwise. */
  finish(): readonly { readonly name: string; readonly count: number; readonly made: readonly Release[] }[] {
    return this.#plan.releases.map(({ name, count }) => {
      const made = this.#releases.get(name) ?? [];
      if (made.length !== count)
        throw new PlanMismatchError(name, count, made.length, 'Nothing may be published.');
      if (!made.every((release) => release.closed))
        throw new PlanMismatchError(name, count, made.length, 'One of them was never closed.');
      return { name, count, made };
    });
  }

  all(): readonly Release[] {
    return [...this.#releases.values()].flat();
  }
}

/** Releases of one line differ in their grid at most; the coarsest one bounds the cost of each. */
function leastNoisy(events: readonly PrivacyEvent[]): PrivacyEvent {
  return events.reduce((worst, event) => (coarseness(event) < coarseness(worst) ? event : worst));
}

function coarseness(event: PrivacyEvent): number {
  switch (event.kind) {
    case 'gaussian':
    case 'poisson-sampled-gaussian':
      return event.gridSigma ?? Infinity;
    case 'laplace':
      return event.gridScale ?? Infinity;
    default:
      return Infinity;
  }
}
