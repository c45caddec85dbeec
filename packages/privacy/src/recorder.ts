import type { PrivacyEvent } from './event.js';
import type { NoiseThreads } from './mechanisms/noise-threads.js';
import { noiseKey, randomKey, simulationKey } from './random/noise-keys.js';
import { sha256Hex } from './random/sha256.js';
import { RecordedRelease } from './recorded-release.js';
import { PlanMismatchError, ReleaseRefusedError } from './recorder-errors.js';
import type { CalibratedPlan, CalibratedRelease } from './release-plan.js';
import type { OpenRelease, PrivacyRecord, ReleaseRecorder } from './release-recorder.js';

/** Where noise comes from, and what happens before a release. */
export interface RecorderOptions {
  /** Makes the run a simulation: noise can be recomputed by anyone who knows the seed. */
  readonly seed?: number | string;
  /** 32 secret bytes, kept by whoever wants to resume this run; drawn afresh when absent. As sensitive as the data. */
  readonly key?: Uint8Array;
  /** What the noise is bound to besides the plan: content hash of the data. */
  readonly identity?: string;
  /** Names the run; another name gives independent noise. */
  readonly job?: string;
  /** Threads of this process to draw Gaussian noise in; without them it is drawn here. The noise does not depend on it. */
  readonly threads?: NoiseThreads;
  /** Called before a release can see any statistic; a ledger makes the charge durable here. May return a promise. */
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
  readonly plan: CalibratedPlan;
  readonly simulation: boolean;
  readonly #options: RecorderOptions;
  readonly #root: Uint8Array;
  readonly #planHash: string;
  readonly #releases = new Map<string, RecordedRelease[]>();

  constructor(plan: CalibratedPlan, options: RecorderOptions) {
    if (options.seed !== undefined && options.key !== undefined)
      throw new TypeError('Give a seed (simulation) or a key (private run), not both.');
    this.plan = plan;
    this.simulation = options.seed !== undefined;
    this.#options = options;
    this.#root = options.seed !== undefined ? simulationKey(options.seed) : (options.key ?? randomKey());
    this.#planHash = sha256Hex(JSON.stringify(plan));
  }

  begin(name: string): OpenRelease {
    const line = this.plan.releases.find((release) => release.name === name);
    if (line === undefined)
      throw new ReleaseRefusedError(
        name,
        'not-planned',
        `not in the plan. Planned: ${this.plan.releases.map((release) => release.name).join(', ') || 'nothing'}.`,
      );
    const made = this.#releases.get(name) ?? [];
    if (made.length >= line.count)
      throw new ReleaseRefusedError(name, 'too-many', `planned ${line.count} times, all of them made.`);
    const occurrence = made.length;
    const release = new RecordedRelease(line, {
      bindToContent: !this.simulation,
      keyFor: (...labels) =>
        noiseKey(this.#root, [
          this.#options.job ?? '',
          this.#options.identity ?? '',
          this.#planHash,
          name,
          occurrence,
          ...labels,
        ]),
      charged: this.#charge(line, occurrence),
      ...(this.#options.threads && { threads: this.#options.threads }),
    });
    this.#releases.set(name, [...made, release]);
    return release;
  }

  async #charge(line: CalibratedRelease, occurrence: number): Promise<void> {
    await this.#options.beforeRelease?.({ name: line.name, occurrence, event: line.event });
  }

  finish(): PrivacyRecord {
    const releases = this.plan.releases.map(({ name, count }) => {
      const made = this.#releases.get(name) ?? [];
      if (made.length !== count)
        throw new PlanMismatchError(name, count, made.length, 'Nothing may be published.');
      if (!made.every((release) => release.closed))
        throw new PlanMismatchError(name, count, made.length, 'One of them was never closed.');
      return { name, count, event: leastNoisy(made.map((release) => release.event)) };
    });
    let distance = 0;
    for (const made of this.#releases.values())
      for (const release of made) distance += release.samplerDistance;
    const events: PrivacyEvent[] = releases.map(({ event, count }) =>
      count === 1 ? event : { kind: 'repeated', event, count },
    );
    if (distance > 0) events.push({ kind: 'sampler-distance', totalVariation: distance });
    return { plan: this.plan, simulation: this.simulation, releases, event: { kind: 'composed', events } };
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
