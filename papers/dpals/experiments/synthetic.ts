import { evaluateModel } from '@hushrec/evaluate';
import { trainModel, typedSettings } from '@hushrec/factorize';
import { generateDpals, type Holdout, splitHoldout } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { dpFw } from '../methods/spectral/dp-fw.js';
import { type FrankWolfeStep, replayFrankWolfe } from '../statistics/covariance.js';

const epsilons = [1, 5, 10, 20] as const;
const items = 1000;

interface Row {
  /** `dp-fw` predicts as the paper does; `dp-fw, ridge` lets people fit the released directions. */
  readonly method: 'dpals' | 'dp-fw' | 'dp-fw, ridge';
  readonly users: number;
  readonly epsilon: number;
  readonly rmse: number;
  readonly seconds: number;
  readonly settings: string;
}

const shared = {
  rank: 5,
  offset: 0,
  intercept: false,
  relativeTo: 'ratings',
  weightExponent: 0,
  itemRidgeExponent: 0,
  initialStdDev: 1,
  initialMean: 0, // entries have no common direction
} as const;

/**
 * Candidates for every cell, few and fixed, from much noise to little; found by random search on validation
 * entries of the largest matrix at ε = 1, 5 and 20, the first for the smallest. The best on validation is
 * reported on test.
 */
const dpalsCandidates = [
  {
    rounds: 5,
    roundGrowth: 1.3,
    matrixShare: 0.1,
    clipNorm: 0.08,
    targetBound: 1.3,
    itemRidge: 60,
    userRidge: 2,
  },
  {
    rounds: 4,
    roundGrowth: 6,
    matrixShare: 0.04,
    clipNorm: 0.03,
    targetBound: 2.5,
    itemRidge: 50,
    userRidge: 1.2,
  },
  {
    rounds: 6,
    roundGrowth: 6,
    matrixShare: 0.1,
    clipNorm: 0.07,
    targetBound: 3,
    itemRidge: 40,
    userRidge: 0.3,
  },
  {
    rounds: 5,
    roundGrowth: 2,
    matrixShare: 0.06,
    clipNorm: 0.09,
    targetBound: 3.5,
    itemRidge: 10,
    userRidge: 0.3,
  },
].map((settings) => ({ ...shared, ...settings }));

/** κ is the nuclear norm of the matrix itself, √(n·m·5): the best that can be known in advance. */
const frankWolfeCandidates = (users: number) =>
  [3, 5, 10].map((rounds) => ({
    rounds,
    offset: 0,
    rowBound: 15,
    userRidge: 5,
    nuclearNorm: Math.sqrt(users * items * 5),
  }));

/**
 * Chien et al. 2021, §6.1 and Figure 4: orthogonal factors of rank 5, 1,000 items, observed at rate 20
 * ln(n)/m.
 */
export const synthetic: Experiment = {
  id: 'dpals/synthetic',
  title: 'DPALS against private Frank–Wolfe on synthetic matrices',
  paper: 'Chien et al. 2021, Figure 4',
  needs: [],
  minutes: 25,
  quickMinutes: 1.8,
  async run(context) {
    const sizes = context.quick ? [5000, 10_000] : [5000, 10_000, 20_000, 50_000];
    const rows: Row[] = [];
    for (const users of sizes) {
      const split = splitHoldout(generateDpals({ users, items, seed: context.seed }), { seed: context.seed });
      for (const epsilon of epsilons) {
        for (const method of ['dpals', 'dp-fw'] as const) {
          context.progress(
            `${users} people, ε = ${epsilon}, ${method}`,
            rows.length,
            sizes.length * epsilons.length * 2,
          );
          rows.push(...(await bestOf(context, split, method, users, epsilon)));
        }
      }
    }
    return {
      findings: findings(rows, sizes),
      guarantee:
        'Both methods: (ε, 1e-5) for every person (add or remove), proved. Seeded simulations; settings chosen on validation entries.',
      sections: [
        {
          heading: 'RMSE on held-out entries (entries have variance 1)',
          chart: {
            kind: 'line',
            title: 'RMSE against ε',
            x: { label: 'ε', scale: 'log' },
            y: { label: 'RMSE', scale: 'log' },
            series: (['dpals', 'dp-fw', 'dp-fw, ridge'] as const).flatMap((method) =>
              sizes.map((users) => ({
                name: `${method}, ${users.toLocaleString('en')} people`,
                points: rows
                  .filter((row) => row.method === method && row.users === users)
                  .map(({ epsilon, rmse }) => ({ x: epsilon, y: rmse })),
              })),
            ),
          },
          table: {
            columns: ['method', 'people', 'ε', 'RMSE', 'seconds', 'settings'],
            rows: rows.map((row) => [
              row.method,
              row.users,
              row.epsilon,
              row.rmse,
              row.seconds,
              row.settings,
            ]),
          },
        },
      ],
    };
  },
};

async function bestOf(
  context: ExperimentContext,
  split: Holdout,
  method: 'dpals' | 'dp-fw',
  users: number,
  epsilon: number,
): Promise<Row[]> {
  const best = new Map<Row['method'], { readonly validation: number; readonly row: Row }>();
  const candidates = method === 'dpals' ? dpalsCandidates : frankWolfeCandidates(users);
  for (const settings of candidates) {
    const started = performance.now();
    const trained = await trainModel({
      method,
      settings,
      ratings: split.train,
      engine: context.engine,
      epsilon,
      delta: 1e-5,
      declaredPeople: users,
      seed: context.seed,
      hooks: { signal: context.signal },
    });
    const seconds = (performance.now() - started) / 1000;
    const keep = (name: Row['method'], validation: number, rmse: number) => {
      if (validation >= (best.get(name)?.validation ?? Infinity)) return;
      const row = { method: name, users, epsilon, rmse, seconds, settings: JSON.stringify(settings) };
      best.set(name, { validation, row });
    };
    const folded = async (stage: 'validation' | 'test') =>
      (await evaluateModel(trained.model, split, 'holdout', context.engine, { stage, resamples: 0 })).metrics[
        'rmse'
      ].value;
    keep(method === 'dpals' ? 'dpals' : 'dp-fw, ridge', await folded('validation'), await folded('test'));
    if (method === 'dp-fw') {
      const path = trained.facts!.path!;
      const people = replayFrankWolfe(
        split.train.byUser,
        path,
        typedSettings(dpFw.settings, trained.settings),
      );
      keep('dp-fw', replayedRmse(people, path, split.validation), replayedRmse(people, path, split.test));
    }
  }
  return [...best.values()].map(({ row }) => row);
}

/** RMSE of Σ_t c_it v̂_tj, the rows of the paper's own iterate. */
function replayedRmse(
  people: readonly (readonly number[])[],
  path: readonly FrankWolfeStep[],
  { byUser }: Holdout['test'],
): number {
  let sum = 0;
  for (let user = 0; user < byUser.rowCount; user++) {
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      let score = 0;
      for (let k = 0; k < path.length; k++) score += people[user][k] * path[k].direction[byUser.indices[at]];
      sum += (score - byUser.values[at]) ** 2;
    }
  }
  return Math.sqrt(sum / byUser.values.length);
}

function findings(rows: readonly Row[], sizes: readonly number[]): Finding[] {
  const at = (method: Row['method'], users: number, epsilon: number) =>
    rows.find((row) => row.method === method && row.users === users && row.epsilon === epsilon)!.rmse;
  const largest = sizes.at(-1)!;
  const falls = (values: readonly number[]) =>
    values.every((value, k) => k === 0 || value <= values[k - 1] * 1.02);
  return [
    ...epsilons.map((epsilon) => {
      const ratio = at('dp-fw', largest, epsilon) / at('dpals', largest, epsilon);
      return {
        what: `${largest} people, ε = ${epsilon}: RMSE of Frank–Wolfe over RMSE of DPALS`,
        ...(largest === 50_000 && { published: 7 }),
        measured: ratio,
        holds: largest === 50_000 ? ratio >= 7 : null,
        note: `published: at least 7 at 50,000 people; dpals ${at('dpals', largest, epsilon).toFixed(3)}, dp-fw ${at('dp-fw', largest, epsilon).toFixed(3)}, dp-fw with ridge ${at('dp-fw, ridge', largest, epsilon).toFixed(3)}`,
      };
    }),
    {
      what: 'DPALS: RMSE falls with the number of people at every ε',
      measured: epsilons.filter((epsilon) => falls(sizes.map((users) => at('dpals', users, epsilon)))).length,
      holds: epsilons.every((epsilon) => falls(sizes.map((users) => at('dpals', users, epsilon)))),
      note: 'number of ε for which it does, of 4',
    },
    {
      what: 'DPALS: RMSE falls with ε at every size',
      measured: sizes.filter((users) => falls(epsilons.map((epsilon) => at('dpals', users, epsilon)))).length,
      holds: sizes.every((users) => falls(epsilons.map((epsilon) => at('dpals', users, epsilon)))),
      note: `number of sizes for which it does, of ${sizes.length}`,
    },
    {
      what: `Frank–Wolfe at ε = 1 is no better than predicting 0 (RMSE 1), ${largest} people`,
      published: 1,
      measured: at('dp-fw', largest, 1),
      holds: at('dp-fw', largest, 1) >= 0.95,
      note: `with people’s rows fitted by ridge on the same directions: ${at('dp-fw, ridge', largest, 1).toFixed(3)}`,
    },
  ];
}
