import { join } from 'node:path';
import { evaluateModel } from '@hushrec/evaluate';
import { trainModel } from '@hushrec/factorize';
import { readCandidateFile, splitGivenOne } from '@hushrec/ratings';
import type { Experiment, Finding } from '../experiment.js';
import { loadRealData } from '../real-data.js';
import { withoutGuarantee } from './without-guarantee.js';

/** Settings of Rendle et al. for this split (their published command line). */
const settings = { rank: 192, ridge: 0.007, unobservedWeight: 0.3, rounds: 12 };

/**
 * ML-1M, the leave-one-out split of He et al. 2017 with 99 sampled negatives: iALS, and popularity as a
 * check.
 */
export const ncfLeaveOneOut: Experiment = {
  id: 'baselines/ml-1m-leave-one-out',
  title: 'iALS on the NCF split of ML-1M',
  paper: 'He et al. 2017; Rendle et al. 2021 (settings)',
  needs: ['ml-1m'],
  minutes: 3,
  async run(context) {
    const { engine, seed, quick, signal } = context;
    const dataset = await loadRealData(context, 'ml-1m');
    const test = await readCandidateFile(
      join(context.data!, 'ml-1m', 'ncf-split', 'ml-1m.test.negative.gz'),
      dataset,
    );
    const { train, test: heldOut } = splitGivenOne(dataset.ratings, test.target);
    const findings: Finding[] = [];
    const run = async (method: string, given: object) => {
      context.progress(method, 0, 1);
      const { model } = await trainModel({
        method,
        settings: { ...given },
        ratings: train,
        engine,
        epsilon: Infinity,
        delta: 0,
        seed,
        hooks: {
          progress: ({ stage, done, total }) => context.progress(`${method}, ${stage}`, done, total),
          signal,
        },
      });
      const sampled = { train, test: heldOut, candidates: test };
      const { metrics } = await evaluateModel(model, sampled, 'leave-one-out', engine, { cutoffs: [10] });
      const full = await evaluateModel(model, { train, test: heldOut }, 'leave-one-out', engine, {
        cutoffs: [10],
      });
      return { sampled: metrics, full: full.metrics };
    };
    const ials = await run('ials', quick ? { ...settings, rank: 64 } : settings);
    const popularity = await run('popularity', {});
    for (const [metric, wanted] of [
      ['hr@10', 0.7],
      ['ndcg@10', 0.42],
    ] as const) {
      const { value, low, high } = ials.sampled[metric];
      findings.push({
        what: `iALS, ${metric}, 99 sampled negatives (at least ${wanted} wanted)`,
        measured: value,
        holds: value >= wanted,
        note: `95 % interval ${low.toFixed(4)} to ${high.toFixed(4)}; against all items ${ials.full[metric].value.toFixed(4)}`,
      });
      findings.push({
        what: `popularity, ${metric}, 99 sampled negatives`,
        measured: popularity.sampled[metric].value,
        holds: popularity.sampled[metric].value < value,
        note: 'must be below iALS; checks that the evaluator ranks the right way round',
      });
    }
    return { findings, guarantee: withoutGuarantee, sections: [] };
  },
};
