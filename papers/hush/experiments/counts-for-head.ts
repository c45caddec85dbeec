import { tasksOfChoices } from './real-tasks.js';
import { valuesOfRule } from './values-of-rule.js';

/** Which items may be in the head, where counts are all that the budget suffices for. */
export const countsForHead = valuesOfRule({
  id: 'hush/counts-for-head',
  title:
    'How far below the head an item may be for people to speak of it, where there are counts alone: values of that rule on validation',
  minutes: 5,
  quickMinutes: 2,
  rule: 'candidateDoubt',
  others: [1e9, 2, 4], // 10⁹: all items are asked for alike
  epsilons: [0.05, 0.1, 0.2, 0.5],
  tasks: tasksOfChoices,
});
