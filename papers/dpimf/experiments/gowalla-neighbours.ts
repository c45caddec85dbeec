import { join } from 'node:path';
import { evaluateModel } from '@hushrec/evaluate';
import { trainModel } from '@hushrec/factorize';
import { readHeldOutFile } from '@hushrec/ratings';
import type { Experiment, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';

const epsilon = 3;
const mostGiB = 4;

/**
 * The two local methods on a catalogue of 40,981 items, which their papers did not try: time, memory and
 * quality with the default settings.
 */
export const gowallaNeighbours: Experiment = {
  id: 'dpimf/gowalla',
  title: 'DPLCF and LDPICF on Gowalla: time, memory, Recall@20',
  paper: 'Gao et al. 2020; Guo et al. 2019 (not run there)',
  needs: ['gowalla'],
  minutes: 6,
  async run(context) {
    const { engine, seed, quick, signal } = context;
    const dataset = await loadRealData(context, 'gowalla');
    const { ratings: test } = await readHeldOutFile(join(context.data!, 'gowalla', 'test.txt.gz'), dataset);
    const recallOf = async (method: string, at: number, settings: Readonly<Record<string, number>>) => {
      const before = process.cpuUsage();
      const { model } = await trainModel({
        method,
        settings,
        ratings: dataset.ratings,
        engine,
        epsilon: at,
        delta: 0,
        seed,
        hooks: {
          progress: ({ stage, done, total }) => context.progress(`${method}, ${stage}`, done, total),
          signal,
        },
      });
      const { user, system } = process.cpuUsage(before);
      const split = { train: dataset.ratings, test };
      const { metrics } = await evaluateModel(model, split, 'leave-one-out', engine, {
        cutoffs: [20],
        resamples: 200,
      });
      return { recall: metrics['full-recall@20'], seconds: (user + system) / 1e6 };
    };
    const popularity = await recallOf('popularity', Number.POSITIVE_INFINITY, {});
    const findings: Finding[] = [
      { what: 'popularity without noise: Recall@20', measured: popularity.recall.value, holds: null },
    ];
    for (const method of ['dplcf', 'ldpicf']) {
      const { recall, seconds } = await recallOf(method, epsilon, quick ? { itemLimit: 1024 } : {});
      findings.push(
        {
          what: `${method}, ε = ${epsilon} for each bit: Recall@20`,
          measured: recall.value,
          holds: null,
          note: `95 % interval ${recall.low.toFixed(4)} to ${recall.high.toFixed(4)}`,
        },
        { what: `${method}: processor seconds of training`, measured: seconds, holds: null },
      );
    }
    const peak = process.resourceUsage().maxRSS / 2 ** 20;
    findings.push({ what: `peak memory of all of it, GiB`, measured: peak, holds: peak < mostGiB });
    return {
      findings,
      guarantee:
        'Claimed and proved: ε for each bit, in the local model. A row of m bits costs mε by group privacy.',
      sections: [],
    };
  },
};
