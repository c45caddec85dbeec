import type { PrivacyEvent } from '../event.js';
import type { SparseCells } from '../mechanisms/thresholded-laplace.js';
import type {
  CalibratedPlan,
  CalibratedRelease,
  PlannedMechanism,
  PlannedRelease,
} from '../plan/release-plan.js';
import { ReleaseRefusedError } from './errors.js';
import type { NoiseLayout, OpenRelease, PrivacyRecord, ReleaseRecorder, ThresholdedRow } from './port.js';
import { PlanBook } from './recorder.js';
import { revealToMechanism, type Sensitive } from './sensitive.js';
import { layoutMisfit, sensitivityExcess } from './statistic-checks.js';

/**
 * What a run asks of its recorder: everything about a request but the numbers themselves. None of it may
 * depend on anyone's data beyond earlier releases; that two runs on neighbouring data ask alike is checked
 * wherever one is answered for the other.
 */
export type ReleaseRequest =
  | {
      readonly kind: 'numbers';
      readonly release: string;
      readonly occurrence: number;
      readonly part: number;
      readonly length: number;
      readonly gridStep: number;
      readonly layout: NoiseLayout;
    }
  | {
      readonly kind: 'bits';
      readonly release: string;
      readonly occurrence: number;
      readonly part: number;
      readonly length: number;
    }
  | {
      readonly kind: 'choice';
      readonly release: string;
      readonly occurrence: number;
      readonly part: number;
      readonly length: number;
      readonly gridStep: number;
    }
  | {
      readonly kind: 'cells';
      readonly release: string;
      readonly occurrence: number;
      readonly part: number;
      /** Columns of the row; how many cells it has is nobody's business. */
      readonly length: number;
      readonly gridStep: number;
      readonly threshold: number;
      readonly clampTo: number;
    };

/** What was released for a request. */
export type ReleasedValue =
  | { readonly kind: 'numbers'; readonly values: Float64Array }
  | { readonly kind: 'bits'; readonly values: Uint8Array }
  | { readonly kind: 'choice'; readonly index: number }
  | { readonly kind: 'cells'; readonly columns: Uint32Array; readonly values: Float64Array };

/** Where a recorder without data gets its answers from: a log of releases, zeros, random numbers. */
export interface ReleaseAnswers {
  /** The arrays of an answer belong to whoever asked: they may be written to. */
  answer(request: ReleaseRequest): Promise<ReleasedValue>;
  /** Told of the lines of each stage as they are added. */
  staged?(lines: readonly CalibratedRelease[]): void;
}

/**
 * A recorder that releases nothing: it holds a run to its plan as the real one does, and answers from
 * elsewhere. What is given to it as a statistic is looked at for its length and its declared sensitivity
 * alone.
 */
export function createAnsweringRecorder(plan: CalibratedPlan, answers: ReleaseAnswers): ReleaseRecorder {
  const book = new PlanBook<AnsweredRelease>(plan);
  return {
    get plan() {
      return book.plan;
    },
    simulation: true,
    stage(lines: readonly PlannedRelease[]) {
      const before = book.plan.releases.length;
      book.stage(lines);
      answers.staged?.(book.plan.releases.slice(before));
    },
    begin: (name) =>
      book.open(name, (line, occurrence, count) => new AnsweredRelease(line, occurrence, count, answers)),
    finish(): PrivacyRecord {
      const releases = book.finish().map(({ name, count, made }) => ({ name, count, event: made[0].event }));
      const events = releases.map(({ event, count }): PrivacyEvent => ({ kind: 'repeated', event, count }));
      return { plan: book.plan, simulation: true, releases, event: { kind: 'composed', events } };
    },
  };
}

class AnsweredRelease implements OpenRelease {
  readonly name: string;
  readonly noise: number;
  readonly event: PrivacyEvent;
  readonly #line: CalibratedRelease;
  readonly #occurrence: number;
  readonly #count: (numbers: number) => void;
  readonly #answers: ReleaseAnswers;
  readonly #parts = new Set<number>();
  closed = false;

  constructor(
    line: CalibratedRelease,
    occurrence: number,
    count: (numbers: number) => void,
    answers: ReleaseAnswers,
  ) {
    this.name = line.name;
    this.noise = line.noise;
    this.event = line.event;
    this.#line = line;
    this.#occurrence = occurrence;
    this.#count = count;
    this.#answers = answers;
  }

  async add(
    part: number,
    statistic: Sensitive<Float64Array>,
    gridStep: number,
    layout: NoiseLayout = { kind: 'vector' },
  ): Promise<Float64Array> {
    const { length } = revealToMechanism(statistic);
    const { kind } = this.#line.mechanism;
    if (kind === 'pure') this.#refuse('wrong-mechanism', 'a pure mechanism releases by `flip` or `select`.');
    const misfit = layoutMisfit(this.#line, layout, length);
    if (misfit !== undefined) this.#refuse('bad-layout', misfit);
    this.#count(length);
    const request = { ...this.#at(part, statistic), kind: 'numbers', length, gridStep, layout } as const;
    return (await this.#ask(request)).values;
  }

  async flip(part: number, bits: Sensitive<Uint8Array>): Promise<Uint8Array> {
    this.#expect('pure');
    const { length } = revealToMechanism(bits);
    return (await this.#ask({ ...this.#at(part, bits), kind: 'bits', length })).values;
  }

  async select(part: number, scores: Sensitive<Float64Array>, gridStep: number): Promise<number> {
    this.#expect('pure');
    const { length } = revealToMechanism(scores);
    return (await this.#ask({ ...this.#at(part, scores), kind: 'choice', length, gridStep })).index;
  }

  async thresholdedLaplace(
    part: number,
    cells: Sensitive<SparseCells>,
    { columnCount: length, gridStep, threshold, clampTo }: ThresholdedRow,
  ): Promise<SparseCells> {
    this.#expect('laplace');
    const request = {
      ...this.#at(part, cells),
      kind: 'cells',
      length,
      gridStep,
      threshold,
      clampTo,
    } as const;
    const { columns, values } = await this.#ask(request);
    return { columns, values };
  }

  close(): PrivacyEvent {
    if (this.closed) this.#refuse('closed', 'it is closed already.');
    this.closed = true;
    return this.event;
  }

  /** Sensitivities are declared and public: a run that would be refused for one is refused in a rehearsal. */
  #at(part: number, { sensitivity }: Sensitive<unknown>) {
    const excess = sensitivityExcess(this.#line, sensitivity);
    if (excess !== undefined) this.#refuse('sensitivity-too-large', excess);
    if (this.closed) this.#refuse('closed', 'it is closed; nothing can be added.');
    if (this.#parts.has(part)) this.#refuse('part-used-twice', `part ${part} was released already.`);
    this.#parts.add(part);
    return { release: this.name, occurrence: this.#occurrence, part };
  }

  async #ask<Request extends ReleaseRequest>(
    request: Request,
  ): Promise<Extract<ReleasedValue, { kind: Request['kind'] }>> {
    const value = await this.#answers.answer(request);
    if (value.kind !== request.kind || lengthMisfit(request, value))
      throw new AnswerMismatchError(request, 'what was released there has another form.');
    return value as Extract<ReleasedValue, { kind: Request['kind'] }>;
  }

  #expect(kind: PlannedMechanism['kind']): void {
    if (this.#line.mechanism.kind !== kind)
      this.#refuse('wrong-mechanism', `planned as ${this.#line.mechanism.kind}, asked for as ${kind}.`);
  }

  #refuse(reason: ReleaseRefusedError['reason'], message: string): never {
    throw new ReleaseRefusedError(this.name, reason, message);
  }
}

function lengthMisfit(request: ReleaseRequest, value: ReleasedValue): boolean {
  switch (value.kind) {
    case 'numbers':
    case 'bits':
      return value.values.length !== request.length;
    case 'choice':
      return !(Number.isInteger(value.index) && value.index >= 0 && value.index < request.length);
    case 'cells':
      return (
        value.columns.length !== value.values.length ||
        value.columns.some((column) => column >= request.length)
      );
    default:
      return value satisfies never;
  }
}

/** A run asked for something that was not released, or not in this form. */
export class AnswerMismatchError extends Error {
  override readonly name = 'AnswerMismatchError';
  readonly kind = 'privacy';
  readonly request: ReleaseRequest;
  constructor(request: ReleaseRequest, detail: string) {
    super(`${placeOf(request)} (${request.kind}, ${request.length} numbers): ${detail}`);
    this.request = request;
  }
}

/** Where in a run a request stands, in words. */
export function placeOf({ release, occurrence, part }: ReleaseRequest): string {
  return `"${release}", occurrence ${occurrence + 1}, part ${part}`;
}

/** The request as text, equal for equal requests. */
export function requestText(request: ReleaseRequest): string {
  return JSON.stringify(request, (_, value) => (value instanceof Float64Array ? Array.from(value) : value));
}
