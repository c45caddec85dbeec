import { csrFromTriples } from '@hushrec/numerics';
import type { Dataset, FeatureSource } from '@hushrec/ratings';
import type { Experiment } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import { loadRealData } from '../../harness/real-data.js';
import { publicCount } from './feature-sources.js';
import { measureSources, type SourceRow, type Sources, sourceAhead, sourceTable } from './measure-sources.js';
import { movieFeatures } from './movie-features.js';
import { publicRatings, setPeopleApart } from './public-people.js';

const without = 'no public source';
const facts = 'film facts';
const here = '943 people of ML-1M';
const there = '943 people of ML-100K';

/**
 * Whether it matters where public people come from: as many of ML-100K, which has other people at another
 * time, as of ML-1M itself. In the paper they come from another set than the protected ones.
 */
export const otherPeople: Experiment = {
  id: 'dp-cmf/other-people',
  title: 'Public people of the same data set and of another',
  paper: 'Curmei et al. 2023, §4.2.1 and Figure 1b (public people of ML-20M, protected ones of ML-10M there)',
  needs: ['ml-1m', 'ml-100k', 'movie-features'],
  minutes: 8,
  quickMinutes: 0.2,
  async run(context) {
    const large = await loadRealData(context, 'ml-1m');
    const small = await loadRealData(context, 'ml-100k');
    const people = setPeopleApart(large, publicCount, context.seed);
    const task = { split: people.split, name: `ML-1M without ${publicCount} public people` };
    const others = peopleOf(small, large);
    const sources: Sources[] = [
      { name: without, features: [] },
      { name: facts, features: [await movieFeatures(context, large.itemIds)] },
      { name: here, features: [publicRatings(people, 943, 'ratings')] },
      { name: there, features: [others.source] },
    ];
    const epsilons = context.quick ? [1] : [1, 5, 20];
    const rows: SourceRow[] = [];
    for (const epsilon of epsilons) {
      for (const source of sources) {
        context.progress(`${source.name}, ε = ${epsilon}`, rows.length, epsilons.length * sources.length);
        rows.push(await measureSources(context, task, source, epsilon));
      }
    }
    return {
      findings: [
        {
          what: 'share of the ratings of ML-100K whose film ML-1M knows by title',
          measured: others.found,
          holds: null,
        },
        ...epsilons.flatMap((epsilon) => [
          sourceAhead(rows, 'people of another set beat no source', there, without, epsilon),
          sourceAhead(rows, 'people of the same set beat people of another', here, there, epsilon),
          sourceAhead(rows, 'film facts beat people of the same set', facts, here, epsilon, 'rarest'),
          sourceAhead(rows, 'film facts beat people of another set', facts, there, epsilon, 'rarest'),
        ]),
      ],
      guarantee: `Public people are promised nothing; the others are protected. ${simulations}`,
      sections: [{ heading: 'RMSE by where public people come from', table: sourceTable(rows) }],
    };
  },
};

/** Everyone of one data set as public people of another, films joined by title and year. */
function peopleOf(from: Dataset, to: Dataset): { readonly source: FeatureSource; readonly found: number } {
  const place = new Map(to.itemTitles.map((title, item) => [title.toLowerCase(), item]));
  const itemOf = from.itemTitles.map((title) => place.get(title.toLowerCase()) ?? -1);
  const { byUser, scale, userCount } = from.ratings;
  const [users, items, values]: [number[], number[], number[]] = [[], [], []];
  for (let user = 0; user < userCount; user++) {
    // A title that ML-100K lists twice counts once.
    const own = new Set<number>();
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      const item = itemOf[byUser.indices[at]];
      if (item < 0 || own.has(item)) continue;
      own.add(item);
      users.push(user);
      items.push(item);
      values.push(byUser.values[at]);
    }
  }
  const rows = csrFromTriples(userCount, to.ratings.itemCount, users, items, values);
  return {
    source: { kind: 'public-ratings', name: there, byUser: rows, scale },
    found: values.length / byUser.values.length,
  };
}
