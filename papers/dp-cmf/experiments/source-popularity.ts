import { type FeatureSource, popularityBuckets } from '@hushrec/ratings';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';
import { publicCount } from './feature-sources.js';
import { movieFeatures } from './movie-features.js';
import { publicRatings, publicVectors, setPeopleApart, similarityBy } from './public-people.js';

const buckets = 4;

interface Bias {
  readonly name: string;
  /** Share of all feature–item pairs whose item is in the most rated quarter. */
  readonly inTop: number;
  /** The same feature by feature, ascending; features with fewer than five items left out. */
  readonly byFeature: readonly number[];
  /** Features of an item, ascending. */
  readonly perItem: readonly number[];
}

/**
 * Curmei et al. 2023, Figure 2, and Krichene et al. 2024, Figure 7: how far each public source leans towards
 * popular items.
 */
export const sourcePopularity: Experiment = {
  id: 'dp-cmf/popularity-bias',
  title: 'Popularity bias of public sources',
  paper: 'Curmei et al. 2023, Figure 2; Krichene et al. 2024, Figure 7',
  needs: ['ml-1m', 'movie-features'],
  minutes: 0.3,
  quickMinutes: 0.1,
  async run(context) {
    const dataset = await loadRealData(context, 'ml-1m');
    const { itemIds } = dataset;
    const people = setPeopleApart(dataset, publicCount, context.seed);
    const { bucketOf } = popularityBuckets(people.split.train, buckets);
    const vectors = await publicVectors(context, people);
    const all = [
      await movieFeatures(context, itemIds),
      similarityBy(vectors, 'dot product', 100),
      publicRatings(people, publicCount, 'ratings'),
    ].map((source) => biasOf(source, bucketOf, itemIds.length));
    const [facts, similarity, users] = all as [Bias, Bias, Bias];
    const share = (
      bias: Bias,
      published: number | undefined,
      holds: boolean | null,
      note: string,
    ): Finding => ({
      what: `${bias.name}: share of feature–item pairs in the most rated quarter of items`,
      ...(published !== undefined && { published }),
      measured: bias.inTop,
      holds,
      note,
    });
    return {
      findings: [
        share(users, 0.9, null, 'published for ML-20M, whose films are many more'),
        share(facts, 0.37, facts.inTop < users.inTop, 'published: far below that of public people'),
        share(
          similarity,
          undefined,
          similarity.inTop < facts.inTop,
          'published: balanced, as every item has as many',
        ),
        {
          what: 'median over features of their share in the most rated quarter: public people above film facts (difference)',
          measured: median(users.byFeature) - median(facts.byFeature),
          holds: median(users.byFeature) > median(facts.byFeature),
          note: `${median(users.byFeature).toFixed(2)} and ${median(facts.byFeature).toFixed(2)}; published as a plot`,
        },
        {
          what: 'film facts an item has, median',
          measured: median(facts.perItem),
          holds: null,
          note: `from ${facts.perItem[0]} to ${facts.perItem[facts.perItem.length - 1]}; published as histograms`,
        },
      ],
      guarantee: 'Counts of public sources and of a data set; nothing is released.',
      sections: [
        {
          heading: 'Share of the most rated quarter, feature by feature',
          chart: {
            kind: 'line',
            title: 'Features by their share of popular items',
            x: { label: 'share of features' },
            y: { label: 'share of the feature’s items in the most rated quarter' },
            series: all.map(({ name, byFeature }) => ({
              name,
              points: Array.from({ length: 21 }, (_, k) => ({
                x: k / 20,
                y: byFeature[Math.round((k / 20) * (byFeature.length - 1))],
              })),
            })),
          },
        },
      ],
    };
  },
};

function biasOf(source: FeatureSource, bucketOf: ArrayLike<number>, itemCount: number): Bias {
  const byFeature = new Map<string, { count: number; top: number }>();
  const perItem = new Array<number>(itemCount).fill(0);
  let [count, top] = [0, 0];
  forPairs(source, (feature, item) => {
    const inTop = bucketOf[item] === buckets - 1 ? 1 : 0;
    const own = byFeature.get(feature) ?? { count: 0, top: 0 };
    byFeature.set(feature, { count: own.count + 1, top: own.top + inTop });
    perItem[item]++;
    count++;
    top += inTop;
  });
  return {
    name: source.name,
    inTop: top / count,
    byFeature: [...byFeature.values()]
      .filter((own) => own.count >= 5)
      .map((own) => own.top / own.count)
      .sort((a, b) => a - b),
    perItem: perItem.sort((a, b) => a - b),
  };
}

/** Every pair of a feature (token, similar item, public person) and an item that has it. */
function forPairs(source: FeatureSource, visit: (feature: string, item: number) => void): void {
  const matrices =
    source.kind === 'categorical'
      ? source.fields.map(({ name, byItem }) => ({ name, rows: byItem, itemsAre: 'rows' as const }))
      : source.kind === 'similarity'
        ? [{ name: source.name, rows: source.byItem, itemsAre: 'rows' as const }]
        : [{ name: source.name, rows: source.byUser, itemsAre: 'columns' as const }];
  for (const { name, rows, itemsAre } of matrices) {
    for (let row = 0; row < rows.rowCount; row++) {
      for (let at = rows.offsets[row]; at < rows.offsets[row + 1]; at++) {
        const column = rows.indices[at];
        const [item, feature] = itemsAre === 'rows' ? [row, column] : [column, row];
        visit(`${name} ${feature}`, item);
      }
    }
  }
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)];
}
