import type { ExperimentContext } from '../../harness/experiment.js';
import {
  amazonChoices,
  filmTrustLikes,
  generatedShape,
  generatedVisits,
  lastFmChoices,
  ml1mFewLikes,
  ml1mLikes,
  type Task,
} from '../../harness/tasks.js';
import { learnedShapes } from './sets.js';

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

/** Sets of choices on which rules for small budgets were made: real ones, and generated ones beside them. */
export async function tasksOfChoices(context: ExperimentContext): Promise<Task[]> {
  const generated = Object.entries(learnedShapes)
    .filter(([, { scale }]) => scale === undefined)
    .map(([name, shape]) => generatedShape(name, shape, context));
  const real = [lastFmChoices, filmTrustLikes, amazonChoices, ml1mFewLikes, likesOfFew, ml1mLikes];
  return [generatedVisits(context), ...(await realTasks(context, real)), ...generated];
}
