import {
  amazonAllRatings,
  choicesIn,
  ml1mFewRatings,
  ml1mRareFilms,
  ml1mRated,
  ml1mThumbs,
} from '../../harness/tasks.js';
import { untuned } from './untuned.js';

/**
 * Real data on which no rule was made and no number chosen: choices of other kinds than films and songs, and
 * ratings of other shapes than those of the sets that `hush` was learned on. For judging, never for choosing.
 */
export const unseen = untuned({
  id: 'hush/unseen',
  title:
    'hush untuned on real data that no rule was made on: tags, tagged films and artists, friends, rare films',
  needs: ['ml-1m', 'ml-10m-features', 'hetrec2011-lastfm-2k', 'amazon-instant-video'],
  minutes: 40,
  quickMinutes: 10,
  tasks: async (context) => [
    await choicesIn(context, 'lastfm-friends', 'friends on Last.fm'),
    await choicesIn(context, 'lastfm-tags', 'tags used on Last.fm'),
    await choicesIn(context, 'lastfm-tagged', 'artists tagged on Last.fm'),
    await choicesIn(context, 'tagged-films', 'films tagged in MovieLens'),
    await ml1mRated(context),
    await ml1mFewRatings(context),
    await ml1mRareFilms(context),
    await ml1mThumbs(context),
    await amazonAllRatings(context),
  ],
});
