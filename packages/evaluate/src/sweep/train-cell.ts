import { type ItemEnergies, ItemNoise, type TrainRequest, trainModel } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import { createEngine, type Engine } from '@hushrec/numerics';
import { loadPapers } from '@hushrec/train/load-papers';
import { loadPlugin } from '@hushrec/train/load-plugins';

/** One training of a sweep, as a thread can get it. */
export type CellTraining = Omit<TrainRequest, 'engine' | 'hooks' | 'method' | 'noise'> & {
  readonly method: string;
  /** Files of plug-ins that a thread has to load before it knows the method. */
  readonly plugins?: readonly string[];
};

export interface TrainedCell {
  readonly model: ItemModel;
  readonly seconds: number;
  /** What was last released about items. */
  readonly released?: ItemEnergies;
}

/** Trains and takes the time. */
export async function trainCell(
  { plugins = [], ...training }: CellTraining,
  engine: Engine,
  signal?: AbortSignal,
): Promise<TrainedCell> {
  await loadPapers();
  for (const plugin of plugins) await loadPlugin(plugin);
  const seen = new ItemNoise(training.ratings.itemCount);
  const started = performance.now();
  const { model } = await trainModel({
    ...training,
    engine,
    hooks: { released: seen.watch, ...(signal && { signal }) },
  });
  const seconds = (performance.now() - started) / 1000;
  return { model, seconds, ...(seen.last && { released: seen.last }) };
}

let engine: Promise<Engine> | undefined;

/** The same in a thread of its own. */
export async function trainCellInThread(training: CellTraining): Promise<TrainedCell> {
  engine ??= createEngine({ threads: 1 });
  return trainCell(training, await engine);
}
