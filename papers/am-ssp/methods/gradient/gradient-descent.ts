import type { PeopleInput, PublicShape, SettingsOf, SettingsSchema, TrainedModel } from '@hushrec/factorize';
import { type IdleSettings, idleBy, within } from '@hushrec/factorize';
import { type FactorMatrix, zeroFactors } from '@hushrec/numerics';
import type { PlannedRelease, ReleasePlan } from '@hushrec/privacy';
import { ridgeByCount } from '@hushrec/statistics';
import {
  contributionSettings,
  idleContributions,
  planCounts,
  prepareContributions,
  weightScale,
} from '../../../shared/contribution-step.js';
import {
  gramianName,
  idleImplicit,
  implicitSettings,
  refuseUnobservedRatings,
  releaseGramian,
} from '../../../shared/gramian-step.js';
import { paperClaim } from '../../../shared/paper-claim.js';
import { idleOffset, offsetSettings, planOffset, ratingOffset } from '../../../shared/rating-offset.js';
import type { OwnStep } from '../../../shared/statistics/own-vectors.js';
import { foldInModel, idleIntercept, makeUserStep } from '../../../shared/user-step.js';
import { movedGramian } from '../../statistics/item-gradients.js';
import type { MovedQuestion, SolvedQuestion } from '../../statistics/moved-vectors.js';
import { amSspSettings, encoderSettings, idleEncoder } from '../am-ssp-settings.js';
import { encodedKinds } from '../encoder/item-encoder.js';
import { makeEncoder, makeOptimizer } from '../encoder/make-encoder.js';
import {
  addPublicGradient,
  gradientSettings,
  gradientsName,
  planGradients,
  releaseGradient,
} from './gradient-step.js';

const {
  rank,
  userRidge,
  userRidgeExponent,
  itemRidge,
  itemRidgeExponent,
  clipNorm,
  intercept,
  interceptRidge,
  initialStdDev,
  gridBits,
} = amSspSettings;

/** Settings that all methods with noised item gradients share. */
export const descentSettings = {
  rank,
  userRidge,
  userRidgeExponent,
  itemRidge: { ...itemRidge, default: 1 },
  itemRidgeExponent,
  clipNorm: {
    ...clipNorm,
    description: 'Γ_u: clip of user vectors for the Gramian (implicit feedback only).',
  },
  intercept,
  interceptRidge,
  initialStdDev,
  gridBits,
  ...encoderSettings,
  ...gradientSettings,
  ...implicitSettings,
  ...contributionSettings,
  ...offsetSettings,
} as const satisfies SettingsSchema;

export type DescentSettings = SettingsOf<typeof descentSettings>;

/** Which of them count. */
export function idleDescent(settings: DescentSettings): IdleSettings<keyof DescentSettings> {
  const implicit = settings.feedback === 'implicit';
  return idleBy<keyof DescentSettings>(
    ...idleIntercept(settings.intercept, implicit),
    ...idleOffset(settings, implicit),
    ...idleImplicit(settings),
    ...idleContributions(settings),
    ...idleEncoder(settings),
    [settings.unobservedWeight === 0, 'unobservedWeight above 0', 'clipNorm', 'gridBits'],
  );
}

/**
 * counts → [mean] → [Gramians] → noised gradients. `gramians` is how often the Gramian is refreshed, where it
 * is needed.
 */
export function planDescent(
  settings: DescentSettings,
  shape: PublicShape,
  steps: number,
  gramians: number,
): ReleasePlan {
  refuseUnobservedRatings(settings);
  const releases: PlannedRelease[] = [...planCounts(settings), ...planOffset(settings, shape.scale)];
  const left = 1 - releases.reduce((sum, { share }) => sum + share, 0);
  const gramian = settings.unobservedWeight > 0 ? settings.gramianShare : 0;
  if (gramian > 0) {
    releases.push({
      name: gramianName,
      mechanism: { kind: 'gaussian' },
      sensitivity: settings.clipNorm ** 2,
      count: gramians,
      share: left * gramian,
    });
  }
  releases.push(planGradients(settings, steps, left * (1 - gramian)));
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'item parameters after every step',
    releases,
    ...(settings.clipped === 'example' &&
      paperClaim(
        'clipping each example bounds a person by √β times the clip',
        'a person’s examples share the encoder’s parameters, so their gradients can add up; the noise here is for their sum',
      )),
  };
}

/**
 * The item parameters grew without bound. Nothing about anyone is in this message but that noise and step did
 * not fit.
 */
export class DivergedError extends RangeError {
  override readonly name = 'DivergedError';
  readonly learningRate: number;
  constructor(learningRate: number) {
    super(
      `Gradient descent diverged with learningRate ${learningRate}. Use a smaller one, or optimizer=adam, whose steps do not grow with the noise.`,
    );
    this.learningRate = learningRate;
  }
}

/** How people find their own vectors at some moment: what was released until then. */
export type OwnVectors = SolvedQuestion | MovedQuestion;

/** Item parameters that move by noised gradients. */
export interface ItemDescent {
  /** v_j at the present parameters: released, free to use. */
  readonly items: FactorMatrix;
  /** How people find their own vectors. */
  readonly userStep: OwnStep;
  /** Refreshes the term of unobserved pairs, where there is one. Reads people's vectors (clipped copies). */
  refreshGramian(own: OwnVectors): Promise<void>;
  /** θ ← θ − η(ĝ + ridge + unobserved pairs). */
  step(own: OwnVectors): Promise<void>;
  model(): TrainedModel;
}

/** Releases counts and offset where they are needed, and sets up encoder and optimizer. */
export async function startDescent(input: PeopleInput<DescentSettings>): Promise<ItemDescent> {
  const { people, features, settings, recorder, random, coins, signal } = input;
  const { itemCount } = people;
  const implicit = settings.feedback === 'implicit';
  const { weighting, counts } = await prepareContributions(people, settings, recorder, coins, signal);
  const offset = implicit ? 0 : await ratingOffset(people, settings, recorder, signal);
  const encoder = makeEncoder(features, itemCount, settings, random);
  const optimizer = makeOptimizer(settings, encoder.parameters.length);
  const ridge = ridgeByCount(
    counts ?? new Float64Array(itemCount),
    settings.itemRidge * weightScale(settings),
    settings.itemRidgeExponent,
  );
  const items = zeroFactors(itemCount, settings.rank);
  encoder.encode(items);
  let common: Float64Array | undefined;
  let steps = 0;
  const userStep = makeUserStep(settings, offset);
  return {
    items,
    userStep,
    async refreshGramian(own) {
      if (settings.unobservedWeight === 0) return;
      const { clipNorm, gridBits, rank: width } = settings;
      const { gramian } = await people.sum(movedGramian, { own, width, clipNorm, gridBits }, signal);
      common = await releaseGramian(recorder, gramian, {
        name: gramianName,
        weight: settings.unobservedWeight * weightScale(settings),
        width,
      });
    },
    async step(own) {
      const question = {
        weighting,
        own,
        items,
        encoding: encoder.encoding,
        bound: settings.gradientBound,
        vectorsPerPerson: settings.clipped === 'person' ? 1 : settings.contributionLimit,
        rate: settings.samplingRate,
        coins: coins.line(gradientsName, steps++),
      };
      const noisy = await releaseGradient(people, recorder, question, signal);
      const gradient = Float32Array.from(noisy);
      addPublicGradient(gradient, encoder, items, ridge, common);
      optimizer.step(encoder.parameters, gradient);
      encoder.encode(items);
      if (!items.data.every(Number.isFinite)) throw new DivergedError(settings.learningRate);
    },
    model: () => ({
      model: foldInModel(userStep, items, counts),
      facts: { encoderParameters: encoder.parameters.length },
    }),
  };
}

/** What every method that moves by noised gradients learns from, protects, needs and clips. */
export const descends = {
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  needs: 'people',
  clips: ['gradientBound'],
  learnsFrom: encodedKinds,
} as const;

/** What tuning looks at in methods that move by noised gradients. */
export const descentSearch = {
  rank: within(2.5),
  rounds: within(2.5),
  userRidge: within(4),
  itemRidge: within(6),
  clipNorm: within(3),
  gradientBound: within(5),
  learningRate: within(5),
  weightExponent: within(1.6),
  unobservedWeight: within(4),
} as const;
