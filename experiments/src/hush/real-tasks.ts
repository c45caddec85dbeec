import type { ExperimentContext } from '../experiment.js';
import { ml1mLikes, type Task } from '../tasks.js';

type Load = (context: ExperimentContext) => Promise<Task>;

/** Real sets, one after the other, where there is a folder of them; an experiment goes on without. */
export async function realTasks(context: ExperimentContext, loads: readonly Load[]): Promise<Task[]> {
  const loaded: Task[] = [];
  if (context.data === undefined) return loaded;
  for (const load of loads) loaded.push(await load(context));
  return loaded;
}

/** Likes of 1,500 people of ML-1M. */
export const likesOfFew: Load = (context) => ml1mLikes(context, 1500);
