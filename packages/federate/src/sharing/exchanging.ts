import {
  type CalibratedPlan,
  type CalibratedRelease,
  type NoiseLayout,
  type OpenRelease,
  type PlannedRelease,
  type PrivacyEvent,
  type PrivacyRecord,
  type ReleaseRecorder,
  ReleaseRefusedError,
  type Sensitive,
} from '@hushrec/privacy';
import {
  areWhole,
  gridSigmaFor,
  LARGEST_INTEGER,
  PlanBook,
  revealToMechanism,
  sensitivityExcess,
} from '@hushrec/privacy/recorder-parts';
import { PROOF_DISTANCE } from './line-proofs.js';
import {
  fineGrid,
  type LineShape,
  lineKey,
  SharingError,
  sharingMisfit,
  squaredNorm,
} from './sharing-line.js';
import { SHARED_NOISE_DISTANCE } from './sharing-noise.js';

/**
 * What is asked for at an exchange: its lines, and the plan they are in (with the lines of later stages so
 * far).
 */
export interface SumRequest {
  readonly exchange: number;
  readonly lines: readonly LineShape[];
  readonly plan: CalibratedPlan;
}

/** One line with its exact numbers in fine grid steps. */
export interface ExactLine {
  readonly shape: LineShape;
  readonly values: Float64Array;
}

/** How the lines of exchanges are put together and answered. */
export interface Settling {
  /**
   * The lines of an exchange; `one` where each is an exchange of its own, `all` that come in the same turn
   * where it is to be found out.
   */
  linesOf(exchange: number): readonly LineShape[] | 'one' | 'all';
  settle(request: SumRequest, lines: readonly ExactLine[]): Promise<Float64Array>;
  /** A later stage was planned. */
  staged(): void;
}

interface Waiting extends ExactLine {
  readonly resolve: (values: Float64Array) => void;
  readonly reject: (error: unknown) => void;
}

/** One occurrence of a line, as the book of the plan keeps it. */
interface SharedRelease extends OpenRelease {
  readonly closed: boolean;
  readonly event: PrivacyEvent;
}

export interface ExchangingOptions {
  /** How many noise makers' noises together are the planned noise. */
  readonly honestNeeded: number;
  /**
   * Noise on the sum over planned noise, as standard deviations: what a method may reckon with. At least 1.
   */
  readonly noiseOnSum: number;
  /**
   * What is handed in is about one person, so that its length must be within the sensitivity: it is measured.
   */
  readonly onePerson: boolean;
  /** How many further sums with noise of their own may be shown of each number; none when absent. */
  readonly looks?: number;
  /** Reports come with norm proofs, by two aggregators. */
  readonly normProofs?: boolean;
  /** Noise can be recomputed by somebody: nothing is protected. */
  readonly simulation?: boolean;
}

/** Gathers the lines of a run into exchanges, and gives each line its part of the answer. */
export class ExchangingRecorder implements ReleaseRecorder {
  readonly simulation: boolean;
  readonly #options: ExchangingOptions;
  readonly #settling: Settling;
  readonly #book: PlanBook<SharedRelease>;
  #next = 0;
  #distance = 0;
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(plan: CalibratedPlan, options: ExchangingOptions, settling: Settling) {
    this.simulation = options.simulation === true;
    this.#options = options;
    this.#settling = settling;
    this.#book = new PlanBook(plan);
  }

  get plan(): CalibratedPlan {
    return this.#book.plan;
  }

  stage(lines: readonly PlannedRelease[]): void {
    this.#book.stage(lines);
    this.#settling.staged();
  }

  begin(name: string): OpenRelease {
    return this.#book.open(name, (line, occurrence, count) => this.#release(line, occurrence, count));
  }

  #release(line: CalibratedRelease, occurrence: number, count: (numbers: number) => void): SharedRelease {
    const { name } = line;
    const parts = new Set<number>();
    let closed = false;
    let { event } = line;
    const refuse = async (): Promise<never> => {
      throw new SharingError(name, 'only sums can be made from shares.');
    };
    return {
      name,
      noise: line.noise * this.#options.noiseOnSum,
      get closed() {
        return closed;
      },
      get event() {
        return event;
      },
      add: async (part, statistic, gridStep, layout = { kind: 'vector' }) => {
        if (closed) throw new ReleaseRefusedError(name, 'closed', 'it is closed; nothing can be added.');
        if (parts.has(part))
          throw new ReleaseRefusedError(name, 'part-used-twice', `part ${part} was released already.`);
        parts.add(part);
        const exact = this.#exactLine(line, occurrence, part, statistic, gridStep, layout);
        count(exact.shape.length);
        const { step, effective } = fineGrid(line, gridStep);
        if (effective > 0) {
          event = coarsest(event, line.noise, effective);
          const noises = this.#options.honestNeeded * (1 + (this.#options.looks ?? 0));
          this.#distance += exact.shape.length * noises * SHARED_NOISE_DISTANCE;
        }
        if (this.#options.normProofs) this.#distance += PROOF_DISTANCE;
        const sums = await this.#wait(exact);
        for (let k = 0; k < sums.length; k++) sums[k] *= step;
        return sums;
      },
      flip: refuse,
      select: refuse,
      thresholdedLaplace: refuse,
      close: () => {
        if (closed) throw new ReleaseRefusedError(name, 'closed', 'it is closed already.');
        closed = true;
        return event;
      },
    };
  }

  /** Checks a statistic as a recorder with noise of its own would, and takes its numbers to the fine grid. */
  #exactLine(
    line: CalibratedRelease,
    occurrence: number,
    part: number,
    statistic: Sensitive<Float64Array>,
    gridStep: number,
    layout: NoiseLayout,
  ): ExactLine {
    const { name, sensitivity } = line;
    const exact = revealToMechanism(statistic);
    const misfit = sharingMisfit(line, layout, exact.length);
    if (misfit !== undefined) throw new SharingError(name, misfit);
    if (!(gridStep > 0 && gridStep < Infinity))
      throw new ReleaseRefusedError(name, 'bad-grid', `the grid step is ${gridStep}.`);
    if (statistic.norm !== 'l2')
      throw new ReleaseRefusedError(name, 'wrong-norm', 'Gaussian noise needs a Euclidean sensitivity.');
    const excess = sensitivityExcess(line, statistic.sensitivity);
    if (excess !== undefined) throw new ReleaseRefusedError(name, 'sensitivity-too-large', excess);
    const { step, perStep } = fineGrid(line, gridStep);
    if (!areWhole(exact, LARGEST_INTEGER / perStep))
      throw new ReleaseRefusedError(name, 'not-on-grid', 'not whole numbers of grid steps below 2^52.');
    const values = exact.slice();
    if (perStep > 1) for (let k = 0; k < values.length; k++) values[k] *= perStep;
    const width = layout.kind === 'symmetric' ? layout.width : 1;
    if (this.#options.onePerson) {
      const most = sensitivity / step;
      if (!(squaredNorm(values, width) <= most * most * (1 + 1e-10)))
        throw new ReleaseRefusedError(
          name,
          'sensitivity-too-large',
          'this person’s part is longer than the sensitivity; it is not handed in.',
        );
    }
    return { shape: { name, occurrence, part, length: values.length, gridStep, width }, values };
  }

  /**
   * Waits until the lines that belong together are there, hands them in, and gives each its part of the
   * answer.
   */
  #wait(line: ExactLine): Promise<Float64Array> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...line, resolve, reject });
      const expected = this.#settling.linesOf(this.#next);
      if (expected === 'one') return this.#settle(this.#waiting);
      if (expected === 'all') {
        // What is asked for before an answer could be used comes within the same turn of the event loop, or
        // the next ones.
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#settle(this.#waiting), 1);
        return;
      }
      const ordered = inOrder(expected, this.#waiting);
      if (ordered === 'unexpected') {
        const error = new SharingError(
          line.shape.name,
          `exchange ${this.#next + 1} was announced with other lines.`,
        );
        for (const each of this.#waiting) each.reject(error);
        this.#waiting = [];
      } else if (ordered !== 'incomplete') this.#settle(ordered);
    });
  }

  #settle(lines: readonly Waiting[]): void {
    const exchange = this.#next++;
    this.#waiting = [];
    const request = { exchange, lines: lines.map(({ shape }) => shape), plan: this.plan };
    this.#settling.settle(request, lines).then(
      (sums) => {
        let at = 0;
        for (const { shape, resolve } of lines) {
          resolve(lines.length === 1 ? sums : sums.slice(at, at + shape.length));
          at += shape.length;
        }
      },
      (error: unknown) => {
        for (const { reject } of lines) reject(error);
      },
    );
  }

  finish(): PrivacyRecord {
    const releases = this.#book.finish().map(({ name, count, made }) => {
      const events = made.map(({ event }) => event);
      return {
        name,
        count,
        event: events.reduce((worst, event) => (gridOf(event) < gridOf(worst) ? event : worst)),
      };
    });
    const events: PrivacyEvent[] = releases.map(({ event, count }) =>
      count === 1 ? event : { kind: 'repeated', event, count },
    );
    if (this.#distance > 0) events.push({ kind: 'sampler-distance', totalVariation: this.#distance });
    return { plan: this.plan, simulation: this.simulation, releases, event: { kind: 'composed', events } };
  }
}

function inOrder(
  expected: readonly LineShape[],
  waiting: readonly Waiting[],
): readonly Waiting[] | 'incomplete' | 'unexpected' {
  const there = new Map(waiting.map((line) => [lineKey(line.shape), line]));
  const ordered = expected.map((shape) => {
    const line = there.get(lineKey(shape));
    there.delete(lineKey(shape));
    if (line === undefined) return 'incomplete';
    return sameShape(line.shape, shape) ? line : 'unexpected';
  });
  if (there.size > 0 || ordered.includes('unexpected')) return 'unexpected';
  return ordered.includes('incomplete') ? 'incomplete' : (ordered as Waiting[]);
}

function sameShape(a: LineShape, b: LineShape): boolean {
  return a.length === b.length && a.gridStep === b.gridStep && a.width === b.width;
}

/** The event with the coarsest grid so far, and the noise that goes with it. */
function coarsest(event: PrivacyEvent, noise: number, effective: number): PrivacyEvent {
  if (event.kind !== 'gaussian' && event.kind !== 'poisson-sampled-gaussian') return event;
  const gridSigma = gridSigmaFor(effective);
  return gridSigma < (event.gridSigma ?? Infinity)
    ? { ...event, noise: noise * (gridSigma / effective), gridSigma }
    : event;
}

function gridOf(event: PrivacyEvent): number {
  return event.kind === 'gaussian' || event.kind === 'poisson-sampled-gaussian'
    ? (event.gridSigma ?? Infinity)
    : Infinity;
}
