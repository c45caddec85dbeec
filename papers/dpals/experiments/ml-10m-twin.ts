import type { Experiment, Finding } from '../../harness/experiment.js';
import { frontierSections } from '../../harness/frontier-table.js';
import {
  type Contestant,
  type Measured,
  measureAll,
  papersPeople,
  rowOf,
  simulations,
} from '../../harness/measure-task.js';
import { ml10mTwin } from '../../harness/tasks.js';
import { publishedGains } from './ml-1m-table.js';
import { aheadAt } from './on-ml-1m.js';
import { shareOfGap } from './share-of-gap.js';

const epsilons = [1, 20];
/** The papers fit no personal intercepts; the methods' own rules do. */
const kinds = [
  { suffix: '', settings: {}, biases: true },
  { suffix: ', no intercepts', settings: { intercept: false }, biases: false },
] as const;

const methods: readonly Contestant[] = [
  { id: 'dpals' },
  { id: 'dp-cmf', features: true },
  { id: 'am-ssp', features: true },
];

/** Chien et al. 2021, Figure 3b; Curmei et al. 2023, Figure 1a; Krichene et al. 2024, Figure 1. */
export const ml10mTwinTable: Experiment = {
  id: 'user-level/ml-10m-twin',
  title: 'User-level private methods on a generated twin of ML-10M, with and without intercepts',
  paper: 'Chien et al. 2021, Figure 3b; Curmei et al. 2023, Figure 1a; Krichene et al. 2024, Figure 1',
  needs: [],
  // By the first look, scaled with ratings and runs.
  minutes: 30,
  quickMinutes: 1,
  async run(context) {
    const { quick } = context;
    const task = ml10mTwin(context, quick ? 3000 : undefined);
    const asIfPeople = quick ? papersPeople : undefined;
    const rows: Measured[] = [];
    for (const { suffix, settings, biases } of kinds) {
      const lines = methods.map((method) => ({ ...method, name: `${method.id}${suffix}`, settings }));
      rows.push(
        ...(await measureAll(context, task, lines, epsilons, quick ? 1 : 3, asIfPeople)),
        ...(await measureAll(
          context,
          task,
          [{ id: 'als', name: `als${suffix}`, settings: { biases } }],
          [],
          1,
        )),
      );
    }
    return {
      findings: kinds.flatMap(({ suffix }) => findings(rows, suffix)),
      guarantee: `Generated ratings of ML-10M’s size, popularity and features; every method on its own rules, none tuned. ${quick ? 'First look: 3,000 people with the noise of 69,878. ' : ''}${simulations}`,
      sections: frontierSections(task.name, task.metric, rows),
    };
  },
};

function findings(rows: readonly Measured[], suffix: string): Finding[] {
  const where = `twin of ML-10M${suffix}`;
  const [dpals, cmf, ssp] = methods.map(({ id }) => `${id}${suffix}`);
  const yardstick = kinds
    .map((kind) => rowOf(rows, `als${kind.suffix}`, null))
    .reduce((a, b) => (b.mean < a.mean ? b : a));
  return epsilons.flatMap((epsilon) => {
    const published = suffix === '' ? undefined : publishedGains.get(epsilon);
    const plain = rowOf(rows, dpals, epsilon);
    return [
      {
        what: `ε = ${epsilon}: ${where}: gap of dpals to ${yardstick.name}`,
        measured: plain.mean - yardstick.mean,
        ...(plain.runs > 1 && { error: plain.error }),
        holds: null,
        note: `${plain.mean.toFixed(4)} and ${yardstick.mean.toFixed(4)}`,
      },
      aheadAt(rows, `${where}: dp-cmf beats dpals`, cmf, dpals, epsilon),
      aheadAt(rows, `${where}: am-ssp beats dpals`, ssp, dpals, epsilon),
      aheadAt(rows, `${where}: am-ssp beats dp-cmf`, ssp, cmf, epsilon, {
        ...(published !== undefined && { published, note: 'published for ML-10M' }),
      }),
      ...[cmf, ssp].map((name) =>
        shareOfGap(`ε = ${epsilon}: ${where}`, rowOf(rows, name, epsilon), plain, yardstick),
      ),
    ];
  });
}
