import type { People } from '@hushrec/statistics';
import type { PeopleInput, TrainedModel } from '../method.js';
import type { LeftMemory } from '../method-memory.js';
import { choicesOf, doubtOfTastes } from './choice-weights.js';
import { gradesFor } from './grades-for.js';
import type { HushPieces } from './hush-pieces.js';
import type { HushRules } from './hush-rules.js';
import type { HushSettings } from './hush-settings.js';
import { releaseCounts } from './implicit-counts.js';
import { learnVectors } from './implicit-vectors.js';
import { choiceMemory, energiesOf, leaveChoices } from './memory/choice-memory.js';

/**
 * Implicit feedback: alternating least squares in which not choosing counts a little, min Σ_i κ_i
 * [Σ_{j ∈ Ω_i} g_ij (1 − u_i·v_j)² + α₀ Σ_j (u_i·v_j)² + λ‖u_i‖²] (Hu, Koren & Volinsky 2008), with the
 * releases of `choices` in place of exact item systems and the shrinkage of `shrinkChoices` in place of an
 * item ridge. docs/hush-proof.md.
 */
export async function trainImplicit(
  input: PeopleInput<HushSettings>,
  pieces: Pick<HushPieces, 'leftOut' | 'countsFromRounds'>,
  rules: HushRules,
): Promise<TrainedModel> {
  const { settings, remember } = input;
  const { itemCount } = input.people;
  const before = remember?.before && choiceMemory(remember.before);
  const { population, counts, stage, memory, known } = await releaseCounts(input, rules, before);
  const spread = choicesOf(counts, population, itemCount, settings.unobservedRatio, rules);
  const recalled = memory && memory.width > 0 ? { memory, counts: known.counts } : undefined;
  const left = async (learned?: Awaited<ReturnType<typeof learnVectors>>): Promise<LeftMemory> => ({
    after: await leaveChoices(known, learned?.last),
    isUsed: memory !== undefined,
    countNoise: (learned?.counts ?? counts).noise,
    ...(learned && { energies: energiesOf(learned.last.sums.vectors) }),
  });
  if (stage.rank === 0)
    return {
      ...popularityModel(counts.value, spread.shares, settings.userRidge, population, input.people),
      ...(remember && { memory: await left() }),
    };
  const learned = await learnVectors(input, stage, counts, spread, pieces, rules, recalled);
  const doubt = doubtOfTastes(stage.rank, rules.certainDirections, spread.rootChoices ** 2, itemCount);
  return {
    model: {
      kind: 'factors',
      feedback: 'implicit',
      rank: stage.rank,
      itemFactors: Float32Array.from(learned.items.data),
      offset: 0,
      foldIn: {
        ridge: doubt * rules.ridgeInUse * settings.userRidge,
        ridgeExponent: 0.5,
        unobservedWeight: spread.unobservedWeight,
        ...gradesFor(input.people),
      },
      popularity: Float32Array.from(learned.counts.value),
    },
    facts: { people: population, directions: stage.rank },
    ...(remember && { memory: await left(learned) }),
  };
}

/**
 * Popularity alone: with one direction, in which all items have their released count, everybody gets what is
 * popular.
 */
function popularityModel(
  counts: Float64Array,
  shares: Float64Array,
  ridge: number,
  count: number,
  people: Pick<People, 'scale'>,
): TrainedModel {
  return {
    model: {
      kind: 'factors',
      feedback: 'implicit',
      rank: 1,
      itemFactors: Float32Array.from(counts, (count, item) => Math.max(shares[item] * 1e-3, count)),
      offset: 0,
      foldIn: { ridge, ridgeExponent: 0, unobservedWeight: 0, ...gradesFor(people) },
      popularity: Float32Array.from(counts),
    },
    facts: { people: count, directions: 0 },
  };
}
