import { defineMethod, idleBy } from '@hushrec/factorize';
import { transpose } from '@hushrec/numerics';
import { epsilonText } from '../../friedman/methods/claims.js';
import { rowNames } from '../../friedman/methods/published-averages.js';
import { letInterruptionsIn } from '../../shared/let-interruptions-in.js';
import { paperClaim } from '../../shared/paper-claim.js';
import { dpimfSchema, dpimfUnproven, foldInOf, lossOf } from './dpimf-settings.js';
import { exactProfiles, printedPass, privatePass } from './profile-passes.js';
import { planProfiles } from './profile-statistics.js';

/**
 * Differentially private implicit matrix factorization: Ran, Ye, Huang, Hu 2024 (DPIMF), for one party.
 *
 * Unit: one cell of the complete 0/1 matrix flips, that is, one interaction is present or absent.
 *
 * Repaired: rounds of P̄ given Q̄, then Q̄ given P̄, both by noised least squares with profiles clipped to
 * public bounds after their release. Given everything released before, a flip of (u, j) moves only the sums
 * of row u on one side and of row j on the other, by `profileSensitivities`. The shared matrix G_all of the
 * optimal variant is a function of released profiles, hence free. Starts from public random profiles.
 *
 * As printed (`repaired=false`): one side is recomputed from raw data, bounds are read off it, and each of
 * the passes gets the whole ε. That has no proof of any finite ε.
 *
 * Importance sampling, repaired: weights w = C₁/‖p‖₁ thin out records with small profiles; w·2p still has ℓ₁
 * norm at most 2C₁, so the guarantee does not lean on the coins being secret. As printed: the optimal weights
 * of `optimalWeight`.
 */
export const dpimf = defineMethod({
  id: 'dpimf',
  title: 'Implicit matrix factorization with a noised loss',
  paper: 'Ran, Ye, Huang, Hu 2024, Algorithms 1 and 2',
  feedback: ['implicit'],
  protects: [{ unit: 'rating-presence', relation: 'add-remove' }],
  settings: dpimfSchema,
  needs: 'ratings',
  idle: ({ variant, repaired }) => {
    const hasCounts = variant === 'complementary' || variant === 'symmetric';
    return idleBy(
      [variant === 'optimal', 'another variant than optimal', 'unobservedWeight'],
      [!hasCounts, 'variant=complementary or symmetric', 'linearShare', 'countShare'],
      [hasCounts, 'variant=optimal or strawman', 'importanceSampling'],
      [!repaired, 'repaired=true', 'l1Bound', 'l2Bound', 'firstShare'],
    );
  },
  plan(settings, shape) {
    const loss = lossOf(settings);
    const { side, rounds, repaired, firstShare } = settings;
    const first = side === 'item' ? 'user' : 'item';
    return {
      unit: 'rating-presence',
      relation: 'add-remove',
      released: repaired ? 'item profiles and user profiles' : `${side} profiles`,
      releases: repaired
        ? [
            ...planProfiles(first, loss, rounds, firstShare),
            ...planProfiles(side, loss, rounds, 1 - firstShare),
          ]
        : planProfiles(side, loss, rounds, 1, dpimfUnproven),
      ...(repaired
        ? {}
        : paperClaim(`${epsilonText(shape.epsilon)}-differential privacy per user`, dpimfUnproven)),
    };
  },
  async train({ ratings, settings, recorder, random, progress, signal }) {
    const { rank: width, side, rounds } = settings;
    const positives = { user: ratings.byUser, item: transpose(ratings.byUser) };
    const first = side === 'item' ? 'user' : 'item';
    let profiles = { [side]: uniformRows(positives[side].rowCount, width, random) } as Record<
      'user' | 'item',
      Float64Array
    >;
    const lastPass = settings.repaired ? privatePass : printedPass;
    for (let round = 0; round < rounds; round++) {
      await letInterruptionsIn(signal);
      const coins = Math.floor(random() * 2 ** 32);
      const passOf = (solved: 'user' | 'item', otherProfiles: Float64Array) => ({
        recorder,
        side: solved,
        positives: positives[solved],
        otherProfiles,
        settings,
        coins,
      });
      const other = settings.repaired
        ? await privatePass(passOf(first, profiles[side]))
        : exactProfiles(positives[first], profiles[side], settings);
      const own = await lastPass(passOf(side, other));
      profiles = { [first]: other, [side]: own } as Record<'user' | 'item', Float64Array>;
      progress?.({ stage: 'rounds', done: round + 1, total: rounds });
    }
    // People fold their own history into item profiles; user profiles go out only where they are what was
    // asked for.
    const published = side === 'user';
    const items =
      settings.repaired || side === 'item' ? profiles.item : new Float64Array(profiles.item.length);
    return {
      model: {
        kind: 'factors',
        feedback: 'implicit',
        rank: width,
        itemFactors: Float32Array.from(items),
        offset: 0,
        foldIn: foldInOf(settings, ratings.itemCount),
        ...(published
          ? { users: { ids: rowNames(ratings.userCount), factors: Float32Array.from(profiles.user) } }
          : {}),
      },
    };
  },
});

/** Independent U(0, 1) entries, as the paper initialises. */
export function uniformRows(count: number, width: number, random: () => number): Float64Array {
  return Float64Array.from({ length: count * width }, random);
}
