import { randomFactors, unpackSymmetric } from '@hushrec/numerics';
import { taste, tasteQuestion } from '@hushrec/statistics';
import { roundName } from '../shared/round-releases.js';
import { type MeasuredSums, withEarlierRounds } from './earlier-rounds.js';
import type { ReleasedWeights } from './explicit-effects.js';
import type { ExplicitStage } from './explicit-plan.js';
import type { ExplicitRun } from './explicit-run.js';
import type { LastTastes, RatingRecall } from './memory/rating-memory.js';
import { shrinkItems } from './shrink-items.js';
import { shrinkButKeep } from './shrinkage.js';

/** What rounds begin with: released, or a rule of released figures. */
export interface BeforeVectors {
  readonly stage: ExplicitStage;
  readonly weights: ReleasedWeights;
  readonly offset: number;
  readonly effects: Float64Array;
  readonly residualVariance: number;
  readonly recall: RatingRecall;
}

export interface LearnedVectors {
  readonly vectors: Float64Array;
  /** Effects with the part that the taste expected of everybody adds to them. */
  readonly effects: Float64Array;
  /** For the memory of a run that is asked for one; absent without vectors. */
  readonly last?: LastTastes;
}

/**
 * Rounds: everybody's posterior is local, what items learn from it is released. Everybody's taste is expected
 * around g, whose part of items refines their effects.
 */
export async function learnVectors(run: ExplicitRun, before: BeforeVectors): Promise<LearnedVectors> {
  const { people, settings, random, pieces, rules, half, itemCount, release, progress, signal } = run;
  const { roundGrowth, levelRidge } = rules;
  const { stage, weights, offset, effects, residualVariance, recall } = before;
  const { rank: width, rounds } = stage;
  let vectors: Float64Array;
  let constant: Float64Array<ArrayBuffer> = new Float64Array(width); // g
  if (recall.isUsed && width > 0)
    ({ vectors, constant } = recall.start(itemCount, width, rules.firstVectors * half, random));
  else {
    vectors = Float64Array.from(randomFactors(itemCount, width, rules.firstVectors * half, random).data);
    if (pieces.constantDirection && width > 0) constant[0] = 1;
  }
  let measured: MeasuredSums | undefined;
  let lastTastes: LastTastes | undefined;
  for (let round = 0; round < rounds; round++) {
    signal?.throwIfAborted();
    progress?.({ stage: 'rounds', done: round, total: rounds });
    const question = tasteQuestion(
      { width, vectors, effects, offset, weights: weights.weights, constant },
      weights.preference,
      { residualVariance, interceptRidge: levelRidge },
      { vectorBound: stage.vectorBound, momentBound: settings.momentBound },
    );
    const statistics = await people.sum(taste, question, signal);
    const moment = await release(roundName('taste-moment', round, roundGrowth), statistics.moment, width);
    const ofTastes = await release(roundName('taste-vectors', round, roundGrowth), statistics.vectors);
    measured = recall.sums(
      withEarlierRounds(ofTastes, pieces.earlierRounds ? measured : undefined, weights.weights, rules),
      weights.weights,
    );
    const last = round === rounds - 1;
    const known = recall.moment(unpackSymmetric(moment.value, width), moment.noise, width, weights.total);
    const sums = {
      vectors: measured,
      moment: known.matrix.map((value) => value / weights.total),
      momentNoise: known.noise / weights.total,
      weights: weights.weights,
      samplingVariance: residualVariance * weights.mean * rules.meanScaling,
    };
    const learned = await shrinkItems(
      sums,
      last ? run.shrink : run.shrinkEarly,
      pieces.keptDirections ? rules.leastSize * half * (rounds - 1 - round) : 0,
    );
    vectors = learned.vectors;
    constant = turned(question.constant, learned.basis);
    if (last && run.remember !== undefined) {
      const kept = await shrinkItems(sums, shrinkButKeep, rules.leastSize * half);
      lastTastes = {
        measured,
        moment: known,
        basis: learned.basis,
        items: kept.vectors,
        constant,
        totalWeight: weights.total,
      };
    }
  }
  progress?.({ stage: 'rounds', done: rounds, total: rounds });
  return {
    vectors,
    effects: effects.map((effect, item) => effect + dot(constant, vectors, item * width)),
    ...(lastTastes && { last: lastTastes }),
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
