import type { Experiment, Finding } from '../../harness/experiment.js';
import { measureTask, simulations } from '../../harness/measure-task.js';
import { againstSimpler, withoutVectors } from './floors.js';
import { familyTasks } from './sets.js';

const epsilons = [0.1, 1, 5, 20] as const;

/** The floor on generated sets of every shape, as ratings and as choices: where is what is simpler better? */
export const familyFloors: Experiment = {
  id: 'hush/family-floors',
  title:
    'hush against what is simpler on a family of generated sets: people, items, ratings a person, popularity and mean',
  paper: 'this project, docs/hush.md',
  needs: [],
  minutes: 40,
  quickMinutes: 10,
  async run(context) {
    const repeats = context.quick ? 3 : 10;
    const findings: Finding[] = [];
    for (const choices of [false, true]) {
      for (const task of familyTasks(context, 24, choices)) {
        const rows = await measureTask(context, task, { id: 'hush' }, epsilons, repeats);
        const plain = await measureTask(context, task, withoutVectors, epsilons, repeats);
        for (const epsilon of epsilons) {
          const found = await againstSimpler(context, task, epsilon, repeats, rows, plain);
          findings.push(found);
          context.found?.(found);
        }
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};
