import { once } from '@hushrec/evaluate';
import {
  allPieces,
  type HushPieces,
  type HushRules,
  hushRules,
  hushWith,
  trainModel,
} from '@hushrec/factorize';
import { contentDigest } from '@hushrec/ratings';
import { type Average, averageOf } from '../../harness/compare-rows.js';
import type { ExperimentContext } from '../../harness/experiment.js';
import type { Task } from '../../harness/tasks.js';

/** `hush` with something left out, added, or decided by another number. */
export interface Variant {
  readonly name: string;
  readonly pieces?: Partial<HushPieces>;
  readonly rules?: Partial<HushRules>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly features?: boolean;
}

/**
 * Mean and standard error over runs, each of which is kept in the store; the values of two variants belong
 * together one by one.
 */
export async function measureVariant(
  context: ExperimentContext,
  task: Task,
  variant: Variant,
  epsilon: number,
  repeats: number,
): Promise<Average & { readonly values: readonly number[] }> {
  const method = hushWith({ ...allPieces, ...variant.pieces }, { ...hushRules, ...variant.rules });
  const features = variant.features ? task.features : [];
  const data = contentDigest([task.split.train, features]);
  const values: number[] = [];
  for (let run = 0; run < repeats; run++) {
    context.progress(`${task.name}, ε = ${epsilon}: ${variant.name}`, run, repeats);
    const seed = context.seed + run;
    const key = {
      ablation: task.name,
      data,
      pieces: variant.pieces ?? {},
      rules: { ...hushRules, ...variant.rules },
      settings: variant.settings ?? {},
      epsilon,
      seed,
    };
    values.push(
      await once(context.store, key, async () => {
        const { model } = await trainModel({
          method,
          settings: variant.settings ?? {},
          ratings: task.split.train,
          features,
          engine: context.engine,
          epsilon,
          delta: 1e-5,
          seed,
          hooks: { signal: context.signal },
        });
        const { metrics } = await task.split.evaluate(model, { resamples: 0 });
        return metrics[task.metric].value;
      }),
    );
  }
  return { ...averageOf(values), values };
}
