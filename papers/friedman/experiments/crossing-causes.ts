import { SeededRandom } from '@hushrec/ratings';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { loadRealData } from '../../harness/real-data.js';
import { type BaselineErrors, baselineErrors } from './baseline-errors.js';
import { findCrossing } from './find-crossing.js';
import { FoldRunner } from './fold-runner.js';
import {
  type Changes,
  type FriedmanData,
  type PrivateMethod,
  paper,
  printedSettings,
  publishedCrossings,
  scoutsOf,
  type Unit,
} from './paper-settings.js';

const lessShrinkage = ['β_m = β_u = 10', { itemShrinkage: 10, userShrinkage: 10 }] as const;

/**
 * One thing changed at a time; everything else as printed. The baseline to be reached stays that of β = 20, 80.
 */
const changesOf: Readonly<Record<PrivateMethod, readonly (readonly [string, Changes])[]>> = {
  'private-global-effects': [lessShrinkage],
  'input-perturbation': [lessShrinkage, ['40 passes', { rounds: 40 }]],
  'private-sgd': [
    lessShrinkage,
    ['step γ = 0.02', { learningRate: 0.02 }],
    ['step γ = 0.03', { learningRate: 0.03 }],
  ],
  'private-als': [lessShrinkage, ['clamp B = 2', { residualBound: 2 }]],
};

/**
 * What the paper's appendix says it used on MovieLens 100K, where its §5 and Table 3 say five iterations and
 * λ = 0.06.
 */
const appendix = 'as in its appendix: λ = 0.08';
const onSmallData: typeof changesOf = {
  'private-global-effects': [],
  'input-perturbation': [
    [appendix, { ridge: 0.08 }],
    ['10 passes', { rounds: 10 }],
  ],
  'private-sgd': [
    [`${appendix}, k = 10`, { ridge: 0.08, rounds: 10 }],
    ['20 passes', { rounds: 20 }],
  ],
  'private-als': [
    [`${appendix}, k = 10`, { ridge: 0.08, rounds: 10 }],
    ['10 rounds', { rounds: 10 }],
  ],
};

const units: readonly Unit[] = ['rating-value', 'rating-presence'];
const methods = Object.keys(changesOf) as PrivateMethod[];
const factor = 1.5;
const most = 200;

interface Tried {
  readonly what: string;
  readonly epsilon: number | null;
  /** RMSE minus baseline at the largest ε tried. */
  readonly lastDifference: number;
}

interface Miss {
  readonly data: FriedmanData;
  readonly unit: Unit;
  readonly method: PrivateMethod;
  readonly baseline: keyof BaselineErrors;
  readonly target: number;
  /** As printed first. */
  readonly tried: readonly Tried[];
}

const near = (epsilon: number | null, target: number) =>
  epsilon !== null && Math.max(epsilon / target, target / epsilon) <= factor;

/**
 * Why some methods reach a baseline at another ε than Tables 4 and 5 print: every crossing is found with the
 * settings as printed, and where it is further off than a factor of 1.5, again with one setting changed at a
 * time. The paper leaves β_m and β_u open and gives the rest. Begins as the tables do, so that in the same
 * folder it reuses their runs.
 */
export const crossingCauses: Experiment = {
  id: 'friedman/crossing-causes',
  title: 'What moves the ε at which methods reach a baseline',
  paper: `${paper}, Tables 4 and 5`,
  needs: ['ml-100k', 'ml-1m'],
  minutes: 8,
  async run(context) {
    const names: FriedmanData[] = context.quick ? ['ml-100k'] : ['ml-100k', 'ml-1m'];
    const misses: Miss[] = [];
    for (const data of names) misses.push(...(await missesOn(context, data)));
    return {
      findings: misses.flatMap(findingsOf),
      guarantee: 'As in Tables 4 and 5: ε is what the paper claims.',
      sections: [
        {
          heading: 'Crossings off by more than 1.5, one setting changed at a time',
          text: 'Four folds (two for the noisy matrix of input perturbation), one run each.',
          table: {
            columns: ['data', 'unit', 'method', 'baseline', 'changed', 'published ε', 'measured ε'],
            rows: misses.flatMap(({ data, unit, method, baseline, target, tried }) =>
              tried.map(({ what, epsilon }) => [data, unit, method, baseline, what, target, epsilon]),
            ),
          },
        },
      ],
    };
  },
};

async function missesOn(context: ExperimentContext, data: FriedmanData): Promise<Miss[]> {
  const runner = new FoldRunner(data, await loadRealData(context, data), context);
  const misses: Miss[] = [];
  try {
    const baselines = await baselineErrors(runner, [0, 1, 2, 3]);
    for (const [at, unit] of units.entries()) {
      for (const [place, method] of methods.entries()) {
        context.progress(
          `${data}, ${unit}, ${method}`,
          at * methods.length + place,
          units.length * methods.length,
        );
        for (const baseline of ['item', 'effects'] as const) {
          const target = publishedCrossings[unit][data][method][baseline];
          if (target === undefined) continue;
          const attempt = async (what: string, changes: Changes): Promise<Tried> => {
            const random = new SeededRandom(context.seed);
            const scouts = scoutsOf(method, unit);
            const { epsilon, lastDifference } = await findCrossing(
              runner,
              {
                method,
                settings: { ...printedSettings(method, data, unit), ...changes },
                baseline: baselines[baseline],
                runs: 1,
                folds: Array.from({ length: scouts }, (_, fold) => fold),
                scouts,
                start: target,
                least: 0.05,
                most,
              },
              () => random.uniform(),
            );
            return { what, epsilon, lastDifference };
          };
          const printed = await attempt('as printed', {});
          if (near(printed.epsilon, target)) continue;
          const tried = [printed];
          const changes = [...changesOf[method], ...(data === 'ml-100k' ? onSmallData[method] : [])];
          for (const [what, settings] of changes) tried.push(await attempt(what, settings));
          misses.push({ data, unit, method, baseline, target, tried });
        }
      }
    }
  } finally {
    await runner.close();
  }
  return misses;
}

function findingsOf({ data, unit, method, baseline, target, tried }: Miss): Finding[] {
  const where = `${data}, ${unit}, ${method} reaches ${baseline === 'item' ? 'item average' : 'global effects'}`;
  const reaching = tried.slice(1).filter(({ epsilon }) => near(epsilon, target));
  return [
    ...tried.map(
      ({ what, epsilon, lastDifference }): Finding => ({
        what: `${where}: ${what}`,
        published: target,
        measured: epsilon ?? Number.POSITIVE_INFINITY,
        holds: near(epsilon, target),
        ...(epsilon === null && {
          note: `not reached up to ε = ${most}, where it is ${lastDifference.toFixed(4)} above`,
        }),
      }),
    ),
    {
      what: `${where}: single changes that bring it within a factor of ${factor}`,
      measured: reaching.length,
      holds: reaching.length > 0,
      note: reaching.map(({ what }) => what).join('; ') || bracketing(tried, target),
    },
  ];
}

/** Where no single change hits the published value, whether two of them lie on both sides of it. */
function bracketing(tried: readonly Tried[], target: number): string {
  const below = tried.filter(({ epsilon }) => epsilon !== null && epsilon < target);
  const above = tried.filter(({ epsilon }) => epsilon === null || epsilon > target);
  if (below.length === 0 || above.length === 0) return 'none, and all lie on one side of it';
  const nearest = below.reduce((best, each) => (each.epsilon! > best.epsilon! ? each : best));
  return `none, but it lies between "${nearest.what}" and "${above[0].what}"`;
}
