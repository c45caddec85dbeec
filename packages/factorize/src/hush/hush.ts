import { defineMethod } from '../define-method.js';
import { within } from '../search-space.js';
import { trainExplicit } from './explicit-hush.js';
import { planExplicit } from './explicit-plan.js';
import { allPieces, type HushPieces } from './hush-pieces.js';
import { type HushRules, hushRules } from './hush-rules.js';
import { hushSettings } from './hush-settings.js';
import { idleHush } from './idle-hush-settings.js';
import { trainImplicit } from './implicit-hush.js';
import { planImplicit } from './implicit-plan.js';

/**
 * What the rules and constants of `hush` were fitted on: the certificate says so, and that none of it is the
 * data of whoever trains.
 */
export const fittedOn =
  'validation parts of MovieLens 1M (whole and cut to 1,500 people), MovieLens 100K, FilmTrust, Amazon Instant Video, Jester, Douban, Flixster, Coat and generated data sets; for choices, of likes in MovieLens 1M, MovieLens 100K, FilmTrust, Douban and Flixster, of Last.fm (artists, tags and friends), Gowalla, Amazon Instant Video and generated data sets';

/**
 * The default method: private probabilistic matrix factorization in which everything that can be local is
 * local, one second moment is shared by all items, every person's whole part in a release is scaled to one
 * norm, and all shrinkage follows from the known noise.
 *
 * Unit: user, add or remove. Released: item effects and vectors; everybody's intercept and taste stay local.
 * Claim and proof, release by release: docs/hush-proof.md.
 */
export const hush = hushWith(allPieces);

/** The same with pieces left out, or other numbers in its rules, for experiments that ask what they bring. */
export function hushWith(pieces: HushPieces, rules: HushRules = hushRules) {
  return defineMethod({
    id: 'hush',
    title: 'Hush: private empirical-Bayes matrix factorization',
    paper: 'this project, docs/hush.md',
    feedback: ['explicit', 'implicit'],
    learnsGrades: true,
    protects: [{ unit: 'user', relation: 'add-remove' }],
    settings: hushSettings,
    needs: 'people',
    remembers: true,
    clips: ['effectBound', 'vectorBound', 'momentBound', 'choiceBound', 'choiceMomentBound'],
    fittedOn,
    learnsFrom: ['categorical'],
    search: {
      rank: { among: [0, 0, 2, 4, 6, 8, 12, 16, 24] },
      rounds: { among: [0, 0, 3, 4, 6, 8] },
      effectShare: { among: [0, 0, 0.15, 0.3, 0.5, 0.8] },
      weightExponent: within(1.7),
      momentShare: within(2),
      effectBound: within(2),
      vectorBound: within(2),
      momentBound: within(3),
      choiceBound: within(2.5),
      choiceMomentBound: within(3),
      unobservedRatio: within(4),
      userRidge: within(4),
    },
    suggest: ({ scale }) => ({ feedback: scale.min === scale.max ? 'implicit' : 'explicit' }),
    idle: idleHush,
    plan: (settings, shape) =>
      settings.feedback === 'implicit'
        ? planImplicit(settings, shape, rules)
        : planExplicit(settings, shape, rules),
    train: (input) =>
      input.settings.feedback === 'implicit'
        ? trainImplicit(input, pieces, rules)
        : trainExplicit(input, pieces, rules),
  });
}
