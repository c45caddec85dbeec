import { type HushRules, hushRules } from '@hushrec/factorize';
import { gaussianEpsilon } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { averageOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import type { Task } from '../../harness/tasks.js';
import { measureVariant, type Variant } from './measure-variant.js';
import { onValidation } from './on-validation.js';
import { tasksOfChoices } from './real-tasks.js';
import { familyTasks } from './sets.js';

/** Shares of the budget that counts would need by the number of people: where it is open what is better. */
const neededByCounts = [0.18, 0.25, 0.35, 0.5] as const;
/** Below this Recall@20 of popularity a hit more or less is a large part. */
const leastRecall = 0.03;

const other = (rules: Partial<HushRules>): Variant => ({
  name: Object.entries(rules)
    .map(([name, value]) => `${name} ${value}`)
    .join(', '),
  rules,
});
const inUse: Variant = { name: 'in use' };
const variants: readonly Variant[] = [
  inUse,
  { name: 'counts by themselves', pieces: { countsFromRounds: false } },
  other({ countsAlone: 0.15 }),
  other({ countsAlone: 0.2 }),
  other({ countsAlone: 0.3 }),
  other({ countsAlone: 0.4 }),
  other({ countsAlonePlain: 0.25 }),
  other({ countsAlonePlain: 0.6 }),
  other({ countsAlonePlain: 1e9 }),
];
const popularity: Variant = { name: 'popularity', rules: { countsAlone: 0, countsAlonePlain: 0 } };

async function tasks(context: ExperimentContext): Promise<Task[]> {
  return [...(await tasksOfChoices(context)), ...familyTasks(context, context.quick ? 24 : 60, true)];
}

/** ε at which counts would need this share of the budget, as `divideForChoices` has it. */
function epsilonFor(share: number, { byUser: { offsets }, userCount }: RatingMatrix): number {
  let roots = 0;
  for (let user = 0; user < userCount; user++) roots += Math.sqrt(offsets[user + 1] - offsets[user]);
  const each = (roots / userCount) ** 2;
  const plenty = hushRules.plentyForCounts * Math.max(1, hushRules.enoughChoices / each);
  const mu = (plenty / userCount) * Math.sqrt(hushRules.countsAtLeast / share);
  return Number(gaussianEpsilon(mu, 1e-5).toPrecision(3));
}

/**
 * Whether the budget of choices goes to counts or to vectors, where both are near: what each rule brings
 * against popularity with all of the budget, and how often that is better.
 */
export const countsOrVectors: Experiment = {
  id: 'hush/counts-or-vectors',
  title:
    'Counts or vectors where people are few for the budget: what the rules bring against popularity, and where it is better; validation',
  paper: 'this project, docs/hush.md',
  needs: [],
  minutes: 90,
  quickMinutes: 15,
  async run(context) {
    const repeats = context.quick ? 4 : 8;
    const gains: number[][] = variants.map(() => []);
    const behind = variants.map(() => 0);
    const rows: (string | number)[][] = [];
    for (const whole of await tasks(context)) {
      const task = onValidation(whole);
      for (const share of neededByCounts) {
        const epsilon = epsilonFor(share, task.split.train);
        const plain = await measureVariant(context, task, popularity, epsilon, repeats);
        if (!(plain.mean >= leastRecall)) continue;
        const row: (string | number)[] = [task.name, epsilon, plain.mean];
        for (const [at, variant] of variants.entries()) {
          const { mean, values } = await measureVariant(context, task, variant, epsilon, repeats);
          const gain = averageOf(values.map((value, run) => value - plain.values[run]));
          gains[at].push(gain.mean / plain.mean);
          if (gain.mean < -Math.max(0.003 * plain.mean, 2 * gain.error)) behind[at]++;
          row.push(mean);
        }
        rows.push(row);
      }
    }
    const found = variants.map(({ name }, at) => ({
      name,
      gain: averageOf(gains[at]).mean,
      loss: averageOf(gains[at].map((gain) => Math.min(0, gain))).mean,
      behind: behind[at],
    }));
    const [own] = found;
    const percent = (part: number) => `${(100 * part).toFixed(2)} %`;
    const findings = found.map(
      ({ name, gain, loss, behind }, at): Finding => ({
        what: `${name}: part of Recall@20 that it brings against popularity, mean over ${rows.length} cells`,
        measured: gain,
        // A tenth of a per cent is what other seeds change. With the same mean, fewer floors broken counts.
        holds: at === 0 ? gain > 0 : own.gain > gain - 0.001 || own.loss > loss,
        note: `behind it in ${behind} cells; mean of what is lost where it is behind ${percent(loss)}`,
      }),
    );
    const columns = ['data', 'ε', 'popularity', ...variants.map(({ name }) => name)];
    return {
      findings,
      guarantee: simulations,
      sections: [{ heading: 'Recall@20 on validation', table: { columns, rows } }],
    };
  },
};
