import { trainModel } from '@hushrec/factorize';
import { type RatingMatrix, selectUsers } from '@hushrec/ratings';
import { scorerFor } from '@hushrec/recommend';
import { aheadByPairs, averageOf } from '../../harness/compare-rows.js';
import type { Experiment, ExperimentContext, Finding } from '../../harness/experiment.js';
import { readCoat } from '../../harness/rating-tables.js';
import { isThere } from '../../harness/real-data.js';
import { generateKinds } from './generated-kinds.js';

/** What people may say about themselves, for one line. */
const lines = {
  'nothing expected': () => '',
  /** A feature that nobody has: the mean of everybody's vectors is learned, and nothing else. */
  'everybody alike': () => 'nobody:1',
  features: (names: readonly string[]) => names.map((name) => `${name}:1`).join(','),
} as const;
type Line = keyof typeof lines;

interface Split {
  /** People the model learns from. */
  readonly train: RatingMatrix;
  /**
   * Others, who are asked for what they say about themselves and for nothing else; their ratings are the
   * test.
   */
  readonly newcomers: RatingMatrix;
}

/**
 * Krichene et al. 2024, equation 1: an encoder of private features of people, which the paper's own
 * experiments leave out. People who have rated nothing get predictions from their features alone, on their
 * device. Generated people of four kinds, who say their kind and something idle; and Coat, whose 290 people
 * say gender, age, place and interest in fashion.
 */
export const peopleFeatures: Experiment = {
  id: 'am-ssp/people-features',
  title: 'Features of people: what they are worth to those without ratings',
  paper: 'Krichene et al. 2024, equation 1',
  needs: [],
  minutes: 6,
  quickMinutes: 2,
  async run(context) {
    const epsilons = context.quick ? [5, 20] : [1, 5, 20];
    const runs = context.quick ? 3 : 10;
    const generated = (run: number): Split => {
      const people = context.quick ? 3000 : 6000;
      const size = { people, items: 300, perPerson: 30, kinds: 4 };
      const { ratings } = generateKinds({ ...size, seed: context.seed + run });
      return splitPeople(ratings, (user) => user % 6 === 5);
    };
    const findings = await compare(context, 'generated', epsilons, runs, generated, false);
    if (isThere(context.data, 'coat')) {
      const { ratings } = await readCoat(context);
      const fold = (run: number) => splitPeople(ratings, (user) => user % 5 === run % 5);
      findings.push(...(await compare(context, 'Coat', [5, 20, 100], 5, fold, true)));
    }
    return {
      findings,
      guarantee:
        'What one person rated and what she says about herself are protected together, add or remove. Newcomers give nothing.',
      sections: [],
    };
  },
};

function splitPeople(ratings: RatingMatrix, isNew: (user: number) => boolean): Split {
  const everyone = Array.from({ length: ratings.userCount }, (_, user) => user);
  return {
    train: selectUsers(
      ratings,
      everyone.filter((user) => !isNew(user)),
    ),
    newcomers: selectUsers(ratings, everyone.filter(isNew)),
  };
}

/** RMSE of newcomers by line, and the gains of features with their t tests; reported only where said so. */
async function compare(
  context: ExperimentContext,
  name: string,
  epsilons: readonly number[],
  runs: number,
  splitOf: (run: number) => Split,
  isReported: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const splits = Array.from({ length: runs }, (_, run) => splitOf(run));
  for (const epsilon of epsilons) {
    const errors = new Map<Line, number[]>();
    for (const line of Object.keys(lines) as Line[]) {
      const values: number[] = [];
      for (const [run, split] of splits.entries()) {
        context.signal.throwIfAborted();
        context.progress(`${name}, ${line}, ε = ${epsilon}`, run, runs);
        values.push(await newcomersError(context, line, epsilon, split, context.seed + run));
      }
      errors.set(line, values);
      findings.push({
        what: `${name}, ${line}: RMSE of people without ratings at ε = ${epsilon}`,
        measured: averageOf(values).mean,
        error: averageOf(values).error,
        holds: null,
        note: `${runs} runs`,
      });
    }
    for (const other of ['everybody alike', 'nothing expected'] as const) {
      const what = `${name}: people without ratings gain by features over ${other} at ε = ${epsilon}`;
      const finding = aheadByPairs(what, errors.get('features')!, errors.get(other)!, 'rmse');
      findings.push(isReported ? { ...finding, holds: null } : finding);
    }
  }
  return findings;
}

async function newcomersError(
  { engine, signal }: ExperimentContext,
  line: Line,
  epsilon: number,
  { train, newcomers }: Split,
  seed: number,
): Promise<number> {
  const names = train.about?.names ?? [];
  const { model } = await trainModel({
    method: 'am-ssp',
    settings: { peopleFeatures: lines[line](names) },
    ratings: train,
    engine,
    epsilon,
    delta: 1e-5,
    declaredPeople: train.userCount,
    seed,
    hooks: { signal },
  });
  const { byUser, about } = newcomers;
  const { min, max } = train.scale;
  let squares = 0;
  for (let user = 0; user < newcomers.userCount; user++) {
    const own = about!.byUser.indices.subarray(about!.byUser.offsets[user], about!.byUser.offsets[user + 1]);
    const features = line === 'features' ? Array.from(own) : []; // declared in the order of the columns
    const scorer = scorerFor(model, { items: new Uint32Array(0), ratings: new Float64Array(0), features });
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
      const predicted = Math.min(max, Math.max(min, scorer.score(byUser.indices[at])));
      squares += (predicted - byUser.values[at]) ** 2;
    }
  }
  return Math.sqrt(squares / byUser.values.length);
}
