import type { Task } from '../../harness/tasks.js';

/** The same task, judged by its validation part, under a name of its own among finished runs. */
export function onValidation(task: Task): Task {
  return {
    ...task,
    name: `${task.name}, validation`,
    split: {
      train: task.split.train,
      evaluate: (model, options) => task.split.evaluate(model, { ...options, stage: 'validation' }),
    },
  };
}
