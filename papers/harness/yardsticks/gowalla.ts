import { join } from 'node:path';
import { evaluateModel } from '@hushrec/evaluate';
import { trainModel } from '@hushrec/factorize';
import { readHeldOutFile } from '@hushrec/ratings';
import type { Experiment } from '../experiment.js';
import { loadRealData } from '../real-data.js';
import { withoutGuarantee } from './without-guarantee.js';

/** Chosen on a fifth of the training interactions, held out; the test file was not looked at. */
const settings = { rank: 256, ridge: 0.004, unobservedWeight: 0.02, ridgeExponent: 1, rounds: 10 };

/**
 * Gowalla with the published split: iALS beside the literature (recall and NDCG at 20, recall not capped).
 */
export const gowalla: Experiment = {
  id: 'baselines/gowalla',
  title: 'iALS on Gowalla, published split',
  paper: 'Wang et al. 2019 (NGCF); He et al. 2020 (LightGCN)',
  needs: ['gowalla'],
  minutes: 8,
  async run(context) {
    const { engine, seed, quick, signal } = context;
    const dataset = await loadRealData(context, 'gowalla');
    const { ratings: test } = await readHeldOutFile(join(context.data!, 'gowalla', 'test.txt.gz'), dataset);
    const { model } = await trainModel({
      method: 'ials',
      settings: quick ? { ...settings, rank: 32 } : settings,
      ratings: dataset.ratings,
      engine,
      epsilon: Infinity,
      delta: 0,
      seed,
      hooks: { progress: ({ stage, done, total }) => context.progress(stage, done, total), signal },
    });
    const split = { train: dataset.ratings, test };
    const { metrics } = await evaluateModel(model, split, 'leave-one-out', engine, {
      cutoffs: [20],
      resamples: 200,
    });
    const literature = [
      { what: 'Recall@20', metric: 'full-recall@20', lightGcn: 0.183, ngcf: 0.1569 },
      { what: 'NDCG@20', metric: 'ndcg@20', lightGcn: 0.1554, ngcf: 0.1327 },
    ];
    return {
      findings: literature.map(({ what, metric, lightGcn, ngcf }) => ({
        what: `Gowalla, iALS, ${what}`,
        published: lightGcn,
        measured: metrics[metric].value,
        holds: null,
        note: `published is LightGCN; NGCF has ${ngcf}. 95 % interval ${metrics[metric].low.toFixed(4)} to ${metrics[metric].high.toFixed(4)}`,
      })),
      guarantee: withoutGuarantee,
      sections: [],
    };
  },
};
