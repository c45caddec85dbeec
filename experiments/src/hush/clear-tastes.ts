import type { ExperimentContext } from '../experiment.js';
import { generatedShape, lastFmChoices, ml1mFewLikes, ml1mLikes, type Task } from '../tasks.js';
import { likesOfFew, realTasks } from './real-tasks.js';
import { familyTasks, learnedShapes } from './sets.js';
import { valuesOfRule } from './values-of-rule.js';

/** Sets whose head is not plain at some of these ε; Recall@20 of the others stays below 0.03 there. */
async function tasks(context: ExperimentContext): Promise<Task[]> {
  const shapes = Object.entries(learnedShapes).filter(([, { scale }]) => scale === undefined);
  const generated = shapes.map(([name, shape]) => generatedShape(name, shape, context));
  const family = familyTasks(context, 24, true).filter(({ name }) =>
    ['5477 ×', '620 ×', '3986 ×', '12398 ×', '1069 ×'].some((beginning) => name.startsWith(beginning)),
  );
  const real = await realTasks(context, [lastFmChoices, ml1mFewLikes, likesOfFew, ml1mLikes]);
  return [...real, ...generated, ...family];
}

/** How clear tastes must be for rounds to go on where counts could use what is left. */
export const clearTastes = valuesOfRule({
  id: 'hush/clear-tastes',
  title:
    'How far a direction must stand out of its noise for rounds to go on where the head is not plain: values of that rule on validation',
  minutes: 10,
  quickMinutes: 3,
  rule: 'clearTastes',
  others: [-1e9, 0.5, 1.5], // −10⁹: rounds go on whatever they show
  epsilons: [0.25, 0.5, 1, 2],
  tasks,
});
