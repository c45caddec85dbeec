import { memoryOutcomeStore } from '@hushrec/evaluate';
import { createEngine } from '@hushrec/numerics';
import { describe, expect, it } from 'vitest';
import type { ExperimentContext } from '../experiment.js';
import { MissingDataError } from '../real-data.js';
import { baselineExperiments } from './index.js';
import { tenFold } from './ten-fold.js';

const data = process.env['HUSHREC_DATA'];
const engine = await createEngine({ threads: 1 });
const context: ExperimentContext = {
  engine,
  quick: true,
  store: memoryOutcomeStore(),
  seed: 1,
  progress: () => {},
  signal: new AbortController().signal,
};

describe('experiments on real data', () => {
  it.each(baselineExperiments.map((each) => [each.id, each] as const))(
    '%s says which data it needs when there is none',
    async (_, experiment) => {
      await expect(experiment.run(context)).rejects.toThrow(MissingDataError);
      await expect(experiment.run(context)).rejects.toThrow(experiment.needs[0]);
    },
  );
  it.skipIf(data === undefined)(
    'reproduce Table 3 of Friedman et al. on one fold (skipped unless HUSHREC_DATA names the data folder)',
    async () => {
      const { findings } = await tenFold.run({ ...context, data: data! });
      // One fold of ML-100K has 10,000 ratings: its RMSE scatters by about 0.01 around that of ten folds.
      for (const { published, measured } of findings)
        expect(Math.abs(measured - published!)).toBeLessThan(0.04);
      expect(findings).toHaveLength(4);
    },
  );
});
