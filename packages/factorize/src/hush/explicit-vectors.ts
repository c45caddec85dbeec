import { randomFactors, unpackSymmetric } from '@hushrec/numerics';
import { taste, tasteQuestion } from '@hushrec/statistics';
import { roundName } from '../shared/round-releases.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import type { ReleasedWeights } from './explicit-effects.js';
import type { ExplicitStage } from './explicit-plan.js';
import type { ExplicitRun } from './explicit-run.js';
import { shrinkItems } from './shrink-items.js';

/** What rounds begin with: released, or a rule of released figures. */
export interface BeforeVectors {
  readonly stage: ExplicitStage;
  readonly weights: ReleasedWeights;
  readonly offset: number;
  readonly effects: Float64Array;
  readonly residualVariance: number;
}

export interface LearnedVectors {
  readonly vectors: Float64Array;
  /** Effects with the part that the taste expected of everybody adds to them. */
  readonly effects: Float64Array;
}

/**
 * Rounds: everybody's posterior is local, what items learn from it is released. Everybody's taste is expected
 * around g, whose part of items refines their effects.
 */
export async function learnVectors(run: ExplicitRun, before: BeforeVectors): Promise<LearnedVectors> {
  const { people, settings, random, pieces, rules, half, itemCount, release, progress, signal } = run;
  const { roundGrowth } = rules;
  const { stage, weights, offset, effects, residualVariance } = before;
  const { rank: width, rounds, interceptRidge } = stage;
  let vectors: Float64Array = Float64Array.from(
    randomFactors(itemCount, width, rules.firstVectors * half, random).data,
  );
  let constant = new Float64Array(width); // g
  if (pieces.constantDirection && width > 0) constant[0] = 1;
  const shrinkEarly = run.shrinkEarly(stage.earlyFacts);
  let measured: MeasuredSums | undefined;
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const question = tasteQuestion(
      { width, vectors, effects, offset, weights: weights.weights, constant },
      weights.preference,
      { residualVariance, interceptRidge },
      { vectorBound: stage.vectorBound, momentBound: settings.momentBound },
    );
    const statistics = await people.sum(taste, question, signal);
    const moment = await release(roundName('taste-moment', round, roundGrowth), statistics.moment, width);
    const ofTastes = await release(roundName('taste-vectors', round, roundGrowth), statistics.vectors);
    measured = withEarlierRounds(
      ofTastes,
      pieces.earlierRounds ? measured : undefined,
      weights.weights,
      rules,
    );
    const last = round === rounds - 1;
    const learned = await shrinkItems(
      {
        vectors: measured,
        moment: unpackSymmetric(moment.value, width).map((value) => value / weights.total),
        momentNoise: moment.noise / weights.total,
        weights: weights.weights,
        samplingVariance: residualVariance * weights.mean * rules.meanScaling,
      },
      last ? run.shrink : shrinkEarly,
      last || !pieces.keptDirections ? 0 : rules.leastSize * half,
    );
    vectors = learned.vectors;
    constant = turned(question.constant, learned.basis);
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return {
    vectors,
    effects: effects.map((effect, item) => effect + dot(constant, vectors, item * width)),
  };
}

/** Q g of a basis by rows. */
function turned(vector: Float64Array, basis: Float64Array): Float64Array<ArrayBuffer> {
  return Float64Array.from(vector, (_, k) => dot(vector, basis, k * vector.length));
}

function dot(vector: Float64Array, rows: Float64Array, begin: number): number {
  let sum = 0;
  for (let k = 0; k < vector.length; k++) sum += vector[k] * rows[begin + k];
  return sum;
}
