import { defineMethod, weightedCountSensitivity, weightedCounts } from 'hushrec/plugin';

/** Popularity with noise: every person spreads a weight of length 1 over the items they rated. */
const noisyPopularity = defineMethod({
  id: 'noisy-popularity',
  title: 'Popularity with noise',
  paper: 'an example',
  feedback: ['explicit', 'implicit'],
  protects: [{ unit: 'user', relation: 'add-remove' }],
  needs: 'people',
  settings: {
    scale: {
      type: 'number',
      default: 1,
      min: 0.1,
      max: 10,
      description: 'What the counts are multiplied by.',
    },
  },
  search: { scale: { factor: 4 } }, // where `compare --tune` looks: within a factor of the default
  plan: () => ({
    unit: 'user',
    relation: 'add-remove',
    released: 'item counts',
    releases: [
      {
        name: 'item-counts',
        mechanism: { kind: 'gaussian' },
        sensitivity: weightedCountSensitivity,
        count: 1,
        share: 1,
      },
    ],
  }),
  async train({ people, recorder, settings }) {
    const { counts } = await people.sum(weightedCounts, null); // exact, behind `Sensitive`
    const release = recorder.begin('item-counts');
    const noisy = await release.add(0, counts.statistic, counts.gridStep); // from here on anyone may see it
    release.close();
    const itemBias = Float32Array.from(noisy, (count) => settings.scale * count);
    return { model: { kind: 'baseline', feedback: 'implicit', offset: 0, itemBias } };
  },
});

export const methods = [noisyPopularity];
