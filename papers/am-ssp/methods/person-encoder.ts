import { numbersByName, roundName, roundReleases, SettingsError, singleRelease } from '@hushrec/factorize';
import type { PersonFeatures } from '@hushrec/model';
import {
  choleskyInPlace,
  choleskySolve,
  NotPositiveDefiniteError,
  projectPositiveSemidefinite,
  unpackSymmetric,
  zeroFactors,
} from '@hushrec/numerics';
import type { PlannedRelease, ReleaseRecorder } from '@hushrec/privacy';
import type { People } from '@hushrec/statistics';
import type { Expectation } from '../../shared/statistics/expected-vectors.js';
import type { OwnQuestion } from '../../shared/statistics/own-vectors.js';
import { featureGramian, featureGramianSensitivity, featureVectors } from '../statistics/person-features.js';
import type { AmSspSettings } from './am-ssp.js';

/** Names of its releases. */
const gramianName = 'feature-gramian';
const vectorsName = 'feature-vectors';

/** Of what the encoding gets, the part for who has which features: asked once, and shared by all rounds. */
const gramianPart = 0.2;

/** Its plan lines: Σ x xᵀ once, Σ x uᵀ after every round. None without features. */
export function planPersonEncoder(settings: AmSspSettings, share: number): PlannedRelease[] {
  if (settings.peopleFeatures === '') return [];
  if (settings.loss !== 'squared' || settings.unit === 'rating' || settings.samplingRate < 1)
    throw new SettingsError(
      'peopleFeatures',
      'peopleFeatures goes with loss=squared, unit=user and samplingRate=1: other sums have no features of people. Leave those settings out, or peopleFeatures.',
    );
  const { rounds, roundGrowth, clipNorm } = settings;
  return [
    singleRelease(gramianName, share * gramianPart, featureGramianSensitivity),
    ...roundReleases(vectorsName, rounds, roundGrowth, share * (1 - gramianPart), clipNorm),
  ];
}

/**
 * The private encoder of Krichene et al. 2024, equation 1, linear in features that people have of their own:
 * p = Wᵀx with W = (Π₊(Ĝ) + λI)⁻¹ Ĉ, Ĝ = Σ_i x_i x_iᵀ and Ĉ = Σ_i x_i u_iᵀ with noise. People's vectors u_i
 * are fitted around the encoding so far, so that round after round those with ratings teach it and those
 * without follow it (the M-step of expectation maximization).
 *
 * Everything here but the two sums is post-processing of releases; their sensitivities are proved where they
 * are (`featureGramian`, `featureVectors`), for someone's ratings and features together.
 */
export class PersonEncoder {
  readonly #settings: AmSspSettings;
  readonly #declared: Omit<Expectation, 'factors'>;
  #factors: Expectation['factors'];
  #gramian: Float64Array | undefined;

  constructor(settings: AmSspSettings) {
    const features = numbersByName('peopleFeatures', settings.peopleFeatures);
    this.#settings = settings;
    this.#declared = { names: [...features.keys()], weights: [...features.values()] };
    this.#factors = zeroFactors(features.size + 1, settings.rank);
  }

  /** The encoding so far: 0 at first. */
  get expected(): Expectation {
    return { ...this.#declared, factors: this.#factors };
  }

  /** Fits the encoding to people as they are at the present item vectors. Two releases at first, then one. */
  async update(
    people: People,
    own: OwnQuestion,
    recorder: ReleaseRecorder,
    round: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const { clipNorm, rank, roundGrowth, featureRidge } = this.#settings;
    const width = this.#declared.names.length + 1;
    if (this.#gramian === undefined) {
      const { gramian } = await people.sum(featureGramian, this.#declared, signal);
      const release = recorder.begin(gramianName);
      const noisy = await release.add(0, gramian.statistic, gramian.gridStep, { kind: 'symmetric', width });
      release.close();
      this.#gramian = projectPositiveSemidefinite(unpackSymmetric(noisy, width), width);
    }
    const question = { own: { ...own, expected: this.expected }, clipNorm };
    const { vectors } = await people.sum(featureVectors, question, signal);
    const release = recorder.begin(roundName(vectorsName, round, roundGrowth));
    const sums = await release.add(0, vectors.statistic, vectors.gridStep);
    release.close();
    const matrix = this.#gramian.slice();
    const ridge = featureRidge * (1 + release.noise / clipNorm);
    for (let a = 0; a < width; a++) matrix[a * width + a] += ridge;
    const pivot = choleskyInPlace(matrix, width);
    if (pivot >= 0) throw new NotPositiveDefiniteError(pivot);
    const factors = zeroFactors(width, rank);
    const column = new Float64Array(width);
    for (let k = 0; k < rank; k++) {
      for (let a = 0; a < width; a++) column[a] = sums[a * rank + k];
      choleskySolve(matrix, width, column);
      for (let a = 0; a < width; a++) factors.data[a * rank + k] = column[a];
    }
    this.#factors = factors;
  }

  /** As a model publishes it. */
  published(): PersonFeatures {
    return { ...this.#declared, factors: Float32Array.from(this.#factors.data) };
  }
}
