import type { PrivacyEvent } from '../event.js';
import { addGaussianNoise } from '../mechanisms/gaussian-part.js';
import {
  GRID_GAUSSIAN_DISTANCE,
  gridGaussianStream,
  gridSigmaFor,
  LEAST_GRID_SIGMA,
} from '../mechanisms/grid-gaussian.js';
import { addKNorm, kNormDistance, kNormScale } from '../mechanisms/k-norm.js';
import type { NoiseThreads } from '../mechanisms/noise-threads.js';
import { permuteAndFlip } from '../mechanisms/permute-and-flip.js';
import { randomizedResponse } from '../mechanisms/randomized-response.js';
import { type SparseCells, ThresholdedLaplace } from '../mechanisms/thresholded-laplace.js';
import type { CalibratedRelease, PlannedMechanism } from '../plan/release-plan.js';
import { areWhole, contentDigest } from '../random/content-digest.js';
import type { RunSecret } from '../random/run-secret.js';
import { WordStream } from '../random/word-stream.js';
import { DISCRETE_LAPLACE_DISTANCE, DiscreteLaplace } from '../samplers/discrete-laplace.js';
import type { NoisedNumbers } from '../samplers/gaussian-stream.js';
import { ReleaseRefusedError } from './errors.js';
import type { NoiseLayout, OpenRelease, ThresholdedRow } from './port.js';
import { revealToMechanism, type Sensitive, type SensitivityNorm } from './sensitive.js';
import { areCells, beyond, LARGEST_INTEGER, layoutMisfit, sensitivityExcess } from './statistic-checks.js';

/** What a release gets from its recorder. */
export interface ReleaseSetting {
  readonly secret: RunSecret;
  readonly occurrence: number;
  /** Settles when the charge is durable; rejects when it was refused. */
  readonly charged: Promise<void>;
  /** Told how many numbers are about to be released; refuses what an envelope does not allow. */
  readonly count: (numbers: number) => void;
  readonly threads?: NoiseThreads;
}

/** Makes a computed scale at least the planned one, whatever its last rounding did. */
const ROUND_UP = 1 + 2 ** -50;

/**
 * One occurrence of one planned line: checks each statistic against the line, adds the planned noise, keeps
 * the count.
 */
export class RecordedRelease implements OpenRelease {
  readonly name: string;
  readonly noise: number;
  readonly #line: CalibratedRelease;
  readonly #setting: ReleaseSetting;
  readonly #parts = new Set<number>();
  #thresholded: { scale: number; least: number; mechanism: ThresholdedLaplace } | undefined;
  #event: PrivacyEvent;
  #distance = 0;
  #closed = false;

  constructor(line: CalibratedRelease, setting: ReleaseSetting) {
    this.name = line.name;
    this.noise = line.noise;
    this.#line = line;
    this.#setting = setting;
    this.#event = line.event;
    // A refused charge surfaces in `add`; without this it would also end the process as unhandled.
    setting.charged.catch(() => undefined);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get event(): PrivacyEvent {
    return this.#event;
  }

  /** Total-variation distance of all noise so far from the exact laws. */
  get samplerDistance(): number {
    return this.#distance;
  }

  async add(
    part: number,
    statistic: Sensitive<Float64Array>,
    gridStep: number,
    layout: NoiseLayout = { kind: 'vector' },
    options: { readonly overwrite?: boolean } = {},
  ): Promise<Float64Array> {
    const { kind } = this.#line.mechanism;
    const gaussian = kind === 'gaussian' || kind === 'poisson-sampled-gaussian';
    if (kind === 'pure') this.#refuse('wrong-mechanism', 'a pure mechanism releases by `flip` or `select`.');
    const values = revealToMechanism(statistic);
    this.#checkGrid(gridStep);
    const misfit = layoutMisfit(this.#line, layout, values.length);
    if (misfit !== undefined) this.#refuse('bad-layout', misfit);
    await this.#open(part, statistic, kind === 'laplace' ? 'l1' : 'l2');
    this.#setting.count(values.length);

    const scale = this.#scaleOf(statistic.sensitivity);
    let step = gridStep;
    let perStep = 1;
    // Whole multiples of a step are whole multiples of half of it: refine until rounding costs nothing.
    const finest = kind === 'laplace' ? Math.min(scale, statistic.sensitivity || scale) : scale;
    while (scale > 0 && finest / step < LEAST_GRID_SIGMA) {
      step /= 2;
      perStep *= 2;
    }
    this.#requireWhole(values, perStep);
    if (gaussian && this.noise > 0) {
      const out = options.overwrite ? values : this.#arrayLike(values);
      const key = this.#key(part, 'gaussian', values);
      await this.#addGaussian({ values, out, perStep, step }, scale, layout, key);
      return out;
    }
    const out = values.map((value) => value * perStep);
    if (this.noise > 0) {
      const stream = this.#stream(part, 'vector', values);
      if (kind === 'laplace') this.#addLaplace(out, scale / step, stream);
      else this.#addKNorm(out, statistic.sensitivity, step, layout, stream);
    }
    for (let i = 0; i < out.length; i++) out[i] *= step;
    return out;
  }

  async flip(part: number, bits: Sensitive<Uint8Array>): Promise<Uint8Array> {
    this.#expect('pure');
    const values = revealToMechanism(bits);
    await this.#open(part, bits, 'l1');
    if (!values.every((bit) => bit === 0 || bit === 1)) this.#refuse('not-on-grid', 'bits must be 0 or 1.');
    if (this.noise === 0) return values.slice();
    this.#distance += values.length * 2 ** -250;
    const stream = this.#stream(part, 'bits', values);
    return randomizedResponse(values, 1 / (this.noise * ROUND_UP), stream);
  }

  async select(part: number, scores: Sensitive<Float64Array>, gridStep: number): Promise<number> {
    this.#expect('pure');
    this.#checkGrid(gridStep);
    if (!this.#line.perPart && this.#parts.size > 0)
      this.#refuse('part-used-twice', 'one release selects once; each further selection costs ε again.');
    await this.#open(part, scores, 'linf');
    const values = revealToMechanism(scores);
    this.#requireWhole(values, 1);
    if (this.noise === 0)
      return values.indexOf(values.reduce((best, score) => Math.max(best, score), -Infinity));
    this.#distance += values.length * DISCRETE_LAPLACE_DISTANCE;
    const doubleScale = (2 * this.noise * ROUND_UP) / gridStep;
    return permuteAndFlip(values, doubleScale, this.#stream(part, 'selection', values));
  }

  async thresholdedLaplace(
    part: number,
    cells: Sensitive<SparseCells>,
    { gridStep, columnCount, threshold, clampTo }: ThresholdedRow,
  ): Promise<SparseCells> {
    this.#expect('laplace');
    this.#checkGrid(gridStep);
    const { columns, values } = revealToMechanism(cells);
    if (!areCells(columns, values, columnCount))
      this.#refuse('bad-layout', 'columns must ascend, be below the column count, and have one value each.');
    if (!(threshold >= 0 && clampTo > 0))
      this.#refuse('bad-grid', `threshold ${threshold} and limit ${clampTo} must be ≥ 0 and > 0.`);
    await this.#open(part, cells, 'l1');
    this.#requireWhole(values, 1);
    // The least whole number of steps whose value exceeds the threshold.
    const least = Math.max(1, Math.floor(threshold / gridStep) + 1);
    const survivors =
      this.noise === 0
        ? beyond(columns, values, least)
        : this.#thresholdedOf((this.#scaleOf(cells.sensitivity) / gridStep) * ROUND_UP, least).release(
            { columns, values },
            columnCount,
            this.#stream(part, 'row', columns, values),
          );
    if (this.noise > 0) {
      this.#distance += (columnCount + 1) * 4 * DISCRETE_LAPLACE_DISTANCE;
      this.#noteScale(this.#scaleOf(cells.sensitivity) / gridStep);
    }
    return {
      columns: Uint32Array.from(survivors.columns),
      values: Float64Array.from(survivors.values, (v) => Math.max(-clampTo, Math.min(clampTo, v * gridStep))),
    };
  }

  close(): PrivacyEvent {
    if (this.#closed) this.#refuse('closed', 'it is closed already.');
    this.#closed = true;
    return this.#event;
  }

  /** `values` are in grid steps; `scale` is the noise in real units, `step` the finer grid it is drawn on. */
  async #addGaussian(
    numbers: NoisedNumbers,
    scale: number,
    layout: NoiseLayout,
    key: Uint8Array,
  ): Promise<void> {
    const { values, step } = numbers;
    this.#distance += values.length * GRID_GAUSSIAN_DISTANCE;
    // The recorded event carries the coarsest grid used, and the noise that goes with it.
    const gridSigma = gridSigmaFor(scale / step);
    const event = this.#event;
    if (
      (event.kind === 'gaussian' || event.kind === 'poisson-sampled-gaussian') &&
      gridSigma < (event.gridSigma ?? Infinity)
    )
      this.#event = { ...event, noise: this.noise * (gridSigma / (scale / step)), gridSigma };
    const width = layout.kind === 'symmetric' ? layout.width : 1;
    const stream = gridGaussianStream(key, scale / step, width);
    await addGaussianNoise({ ...numbers, stream }, this.#setting.threads);
  }

  /** As many numbers, in shared memory where threads will write them. */
  #arrayLike({ byteLength }: Float64Array): Float64Array {
    return new Float64Array(
      this.#setting.threads ? new SharedArrayBuffer(byteLength) : new ArrayBuffer(byteLength),
    );
  }

  #addLaplace(out: Float64Array, scale: number, stream: WordStream): void {
    new DiscreteLaplace(scale * ROUND_UP).addTo(out, 0, out.length, stream);
    this.#distance += out.length * DISCRETE_LAPLACE_DISTANCE;
    this.#noteScale(scale);
  }

  #noteScale(gridScale: number): void {
    const event = this.#event;
    if (event.kind === 'laplace' && gridScale < (event.gridScale ?? Infinity))
      this.#event = { ...event, gridScale };
  }

  #addKNorm(
    out: Float64Array,
    sensitivity: number,
    step: number,
    layout: NoiseLayout,
    stream: WordStream,
  ): void {
    const dimension = this.#dimension();
    const own = layout.kind === 'vectors' && this.#line.perPart ? layout.sensitivities : undefined;
    for (let k = 0; k * dimension < out.length; k++) {
      const bound = this.#line.perPart ? (own?.[k] ?? sensitivity) : this.#line.sensitivity;
      // A vector that no unit can move is public.
      if (bound === 0) continue;
      const scale = kNormScale(bound, this.#scaleOf(bound), dimension) / step;
      addKNorm(out, k * dimension, dimension, scale, stream);
      this.#distance += kNormDistance(dimension);
    }
  }

  /** Noise in real units for a part of the given sensitivity. */
  #scaleOf(sensitivity: number): number {
    return this.#line.perPart ? (this.noise * sensitivity) / this.#line.sensitivity : this.noise;
  }

  #thresholdedOf(scale: number, least: number): ThresholdedLaplace {
    if (this.#thresholded?.scale !== scale || this.#thresholded.least !== least)
      this.#thresholded = { scale, least, mechanism: new ThresholdedLaplace(scale, least) };
    return this.#thresholded.mechanism;
  }

  /**
   * The key of the noise of a part: bound to mechanism and scale, and in a private run to the content it is
   * added to, so that no other content and no other scale ever meets the same noise.
   */
  #key(
    part: number,
    purpose: string,
    ...content: readonly (Float64Array | Uint32Array | Uint8Array)[]
  ): Uint8Array {
    const { secret, occurrence } = this.#setting;
    return secret.noiseKey(this.name, occurrence, [
      part,
      purpose,
      this.noise,
      secret.simulation ? '' : contentDigest(...content),
    ]);
  }

  #stream(
    part: number,
    purpose: string,
    ...content: readonly (Float64Array | Uint32Array | Uint8Array)[]
  ): WordStream {
    return new WordStream(this.#key(part, purpose, ...content));
  }

  /** Takes the part number, checks the declared sensitivity, and waits until the charge is durable. */
  async #open(part: number, statistic: Sensitive<unknown>, norm: SensitivityNorm): Promise<void> {
    if (this.#closed) this.#refuse('closed', 'it is closed; nothing can be added.');
    if (!(Number.isInteger(part) && part >= 0))
      this.#refuse('part-used-twice', `part ${part} is not a whole number ≥ 0.`);
    if (this.#parts.has(part)) this.#refuse('part-used-twice', `part ${part} was released already.`);
    this.#parts.add(part);
    if (statistic.norm !== norm)
      this.#refuse(
        'wrong-norm',
        `${this.#line.mechanism.kind} noise needs a sensitivity in the ${norm} norm here.`,
      );
    const excess = sensitivityExcess(this.#line, statistic.sensitivity);
    if (excess !== undefined) this.#refuse('sensitivity-too-large', excess);
    await this.#setting.charged;
  }

  #expect(kind: PlannedMechanism['kind']): void {
    if (this.#line.mechanism.kind !== kind)
      this.#refuse('wrong-mechanism', `planned as ${this.#line.mechanism.kind}, asked for as ${kind}.`);
  }

  #checkGrid(gridStep: number): void {
    if (!(gridStep > 0 && gridStep < Infinity))
      this.#refuse('bad-grid', `the grid step is ${gridStep}; expected a finite number > 0.`);
  }

  #dimension(): number {
    const { mechanism } = this.#line;
    return mechanism.kind === 'k-norm' ? mechanism.dimension : 1;
  }

  /** Refuses numbers that are not whole, or not exact with noise added on a grid `perStep` times finer. */
  #requireWhole(values: Float64Array, perStep: number): void {
    if (!areWhole(values, LARGEST_INTEGER / perStep))
      this.#refuse('not-on-grid', 'the statistic must consist of whole numbers of grid steps, below 2^52.');
  }

  #refuse(reason: ReleaseRefusedError['reason'], message: string): never {
    throw new ReleaseRefusedError(this.name, reason, message);
  }
}
