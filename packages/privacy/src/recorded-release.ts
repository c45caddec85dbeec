import type { PrivacyEvent } from './event.js';
import {
  addGridGaussian,
  addSymmetricGridGaussian,
  GRID_GAUSSIAN_DISTANCE,
  gridSigmaFor,
  LEAST_GRID_SIGMA,
} from './mechanisms/grid-gaussian.js';
import { fingerprint } from './random/noise-keys.js';
import { WordStream } from './random/word-stream.js';
import { ReleaseRefusedError } from './recorder-errors.js';
import type { CalibratedRelease } from './release-plan.js';
import type { NoiseLayout, OpenRelease } from './release-recorder.js';
import { revealToMechanism, type Sensitive } from './released.js';
import { DISCRETE_LAPLACE_DISTANCE, discreteLaplace } from './samplers/discrete-laplace.js';

/** What a release gets from its recorder. */
export interface ReleaseSetting {
  /** Whether noise also depends on the statistic's content, so that other content never meets the same noise. */
  readonly bindToContent: boolean;
  readonly keyFor: (...labels: readonly (string | number)[]) => Uint8Array;
  /** Settles when the charge is durable; rejects when it was refused. */
  readonly charged: Promise<void>;
}

/** Whole numbers up to here stay exact with noise added. */
const LARGEST_INTEGER = 2 ** 52;

/** One occurrence of one planned line. */
export class RecordedRelease implements OpenRelease {
  readonly name: string;
  readonly noise: number;
  readonly #line: CalibratedRelease;
  readonly #setting: ReleaseSetting;
  readonly #parts = new Set<number>();
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
  ): Promise<Float64Array> {
    this.#open(part);
    this.#checkSensitivity(statistic);
    if (!(gridStep > 0 && gridStep < Infinity))
      this.#refuse('bad-grid', `the grid step is ${gridStep}; expected a finite number > 0.`);
    const values = revealToMechanism(statistic);
    if (layout.kind === 'symmetric') {
      const triangle = (layout.width * (layout.width + 1)) / 2;
      if (!(Number.isInteger(layout.width) && layout.width >= 1 && values.length % triangle === 0))
        this.#refuse('bad-layout', `the statistic is not made of packed triangles of width ${layout.width}.`);
      if (this.#line.mechanism.kind === 'laplace' || this.#line.mechanism.kind === 'k-norm')
        this.#refuse('bad-layout', 'the symmetric layout is for Gaussian noise.');
    }
    await this.#setting.charged;

    const scale = this.#line.perPart
      ? (this.#line.noise * statistic.sensitivity) / this.#line.sensitivity
      : this.#line.noise;
    let step = gridStep;
    let perStep = 1;
    const gaussian =
      this.#line.mechanism.kind === 'gaussian' || this.#line.mechanism.kind === 'poisson-sampled-gaussian';
    // Whole multiples of a step are whole multiples of half of it: refine until rounding costs nothing.
    while (gaussian && scale > 0 && scale / step < LEAST_GRID_SIGMA) {
      step /= 2;
      perStep *= 2;
    }
    const out = this.#integers(values, perStep);
    if (scale > 0) this.#addNoise(out, part, scale / step, layout, fingerprintOf(this.#setting, values));
    for (let i = 0; i < out.length; i++) out[i]! *= step;
    return out;
  }

  #addNoise(out: Float64Array, part: number, scale: number, layout: NoiseLayout, content: string): void {
    const stream = (purpose: string) => new WordStream(this.#setting.keyFor(part, purpose, content));
    switch (this.#line.mechanism.kind) {
      case 'gaussian':
      case 'poisson-sampled-gaussian':
        if (layout.kind === 'symmetric')
          addSymmetricGridGaussian(out, layout.width, scale, stream('diagonal'), stream('off-diagonal'));
        else addGridGaussian(out, scale, stream('vector'));
        this.#distance += out.length * GRID_GAUSSIAN_DISTANCE;
        this.#noteGrid(gridSigmaFor(scale), scale);
        return;
      case 'laplace':
        discreteLaplace(scale * (1 + 2 ** -50)).addTo(out, 0, out.length, stream('vector'));
        this.#distance += out.length * DISCRETE_LAPLACE_DISTANCE;
        return;
      default:
        this.#refuse('wrong-mechanism', `${this.#line.mechanism.kind} noise cannot be added here yet.`);
    }
  }

  /** The recorded event carries the coarsest grid used, and the noise that goes with it. */
  #noteGrid(gridSigma: number, effective: number): void {
    const event = this.#event;
    if (event.kind !== 'gaussian' || (event.gridSigma ?? Infinity) <= gridSigma) return;
    this.#event = { ...event, noise: this.#line.noise * (gridSigma / effective), gridSigma };
  }

  close(): PrivacyEvent {
    if (this.#closed) this.#refuse('closed', 'it is closed already.');
    this.#closed = true;
    return this.#event;
  }

  #open(part: number): void {
    if (this.#closed) this.#refuse('closed', 'it is closed; nothing can be added.');
    if (!(Number.isInteger(part) && part >= 0))
      this.#refuse('part-used-twice', `part ${part} is not a whole number ≥ 0.`);
    if (this.#parts.has(part)) this.#refuse('part-used-twice', `part ${part} was released already.`);
    this.#parts.add(part);
  }

  #checkSensitivity(statistic: Sensitive<unknown>): void {
    const norm =
      this.#line.mechanism.kind === 'laplace' || this.#line.mechanism.kind === 'pure' ? 'l1' : 'l2';
    if (statistic.norm !== norm)
      this.#refuse(
        'wrong-norm',
        `${this.#line.mechanism.kind} noise needs a sensitivity in the ${norm} norm.`,
      );
    const { perPart, proved, sensitivity } = this.#line;
    if (perPart || (proved !== undefined && 'nothingBecause' in proved)) return;
    const planned = proved?.sensitivity ?? sensitivity;
    if (!(statistic.sensitivity <= planned * (1 + 1e-12)))
      this.#refuse(
        'sensitivity-too-large',
        `declared sensitivity ${statistic.sensitivity} exceeds the planned ${planned}.`,
      );
  }

  /** A copy in units of the refined grid. Refuses what is not a whole number, because then noise would not hide it. */
  #integers(values: Float64Array, perStep: number): Float64Array {
    const out = new Float64Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]! * perStep;
      if (!(Math.trunc(value) === value && value <= LARGEST_INTEGER && value >= -LARGEST_INTEGER))
        this.#refuse('not-on-grid', 'the statistic must consist of whole numbers of grid steps, below 2^52.');
      out[i] = value;
    }
    return out;
  }

  #refuse(reason: ReleaseRefusedError['reason'], message: string): never {
    throw new ReleaseRefusedError(this.name, reason, message);
  }
}

function fingerprintOf(setting: ReleaseSetting, values: Float64Array): string {
  return setting.bindToContent ? fingerprint(values) : '';
}
