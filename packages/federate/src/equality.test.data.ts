import '@hushrec/papers/register';
import { methodById, planRun, type SettingValues } from '@hushrec/factorize';
import type { ItemModel } from '@hushrec/model';
import type { Csr, Engine } from '@hushrec/numerics';
import { calibrate, createRecorder, peopleCoins, type ReleaseRecorder, RunSecret } from '@hushrec/privacy';
import { type FeatureSource, type RatingMatrix, SeededRandom, selectUsers } from '@hushrec/ratings';
import { expect } from 'vitest';
import type { NoiseSource } from './aggregator-noise.js';
import type { Charter } from './charter.js';
import type { CharterRequest } from './draft-charter.js';
import { wordCount } from './exchange-plan.js';
import type { PublicKnowledge } from './participant.js';
import type { LogReader } from './release-log.js';
import { Follower } from './schedule.js';
import { fineGrid, lineOf } from './sharing/sharing-line.js';
import { WordSums } from './sharing/sharing-words.js';

/** One line of a run with one curator. */
export interface CentralLine {
  readonly key: string;
  readonly released: Float64Array;
  /** In fine grid steps. */
  readonly noise: Float64Array;
}

export interface CentralRun {
  readonly model: ItemModel;
  readonly settings: SettingValues;
  readonly secret: RunSecret;
  /** In the order in which they were asked for. */
  readonly lines: readonly CentralLine[];
}

export const keyOf = (name: string, occurrence: number, part: number) => `${name} ${occurrence} ${part}`;

/** One curator's run with its own recorder and seed, every line kept with its noise. */
export async function centralRun(
  request: {
    readonly method: string;
    readonly settings: SettingValues;
    readonly epsilon: number;
    readonly delta: number;
    readonly seed: number;
    /** Nothing is added to the sums; the plan, and what the method is told of the noise, stay as they are. */
    readonly noise?: 'off';
  },
  ratings: RatingMatrix,
  engine: Engine,
  features: readonly FeatureSource[] = [],
): Promise<CentralRun> {
  const { itemCount, scale } = ratings;
  const { epsilon, delta, seed, noise, ...asked } = request;
  const shape = { itemCount, scale, epsilon, delta, features };
  const secret = new RunSecret({ seed });
  const run = planRun({
    ...asked,
    ...shape,
    seed,
    declaredPeople: ratings.userCount,
    noise: { secret },
  });
  const method = methodById(request.method);
  const exact = createRecorder(calibrate(method.plan(run.settings, shape), { epsilon: Infinity, delta: 0 }));
  const lines: CentralLine[] = [];
  const occurrences = new Map<string, number>();
  const recorder: ReleaseRecorder = {
    get plan() {
      return run.recorder.plan;
    },
    simulation: true,
    stage: (lines) => {
      run.recorder.stage(lines);
      exact.stage(lines);
    },
    finish: () => run.recorder.finish(),
    begin(name) {
      const occurrence = occurrences.get(name) ?? 0;
      occurrences.set(name, occurrence + 1);
      const [noisy, truth] = [run.recorder.begin(name), exact.begin(name)];
      return {
        name,
        noise: noisy.noise,
        add: async (part, statistic, gridStep, layout) => {
          const { step } = fineGrid(lineOf(run.recorder.plan, { name }), gridStep);
          const sum = await truth.add(part, statistic, gridStep, layout);
          const drawn = await noisy.add(part, statistic, gridStep, layout);
          const released = noise === 'off' ? sum : drawn;
          lines.push({
            key: keyOf(name, occurrence, part),
            released: released.slice(),
            noise: released.map((value, at) => Math.round(value / step) - Math.round(sum[at] / step)),
          });
          return released;
        },
        flip: (...given) => noisy.flip(...given),
        select: (...given) => noisy.select(...given),
        thresholdedLaplace: (...given) => noisy.thresholdedLaplace(...given),
        close: () => noisy.close(),
      };
    },
  };
  const random = new SeededRandom(seed);
  const { model } = await method.train({
    ratings,
    features,
    settings: run.settings,
    engine,
    recorder,
    random: () => random.uniform(),
    coins: peopleCoins(secret),
  });
  return { model, settings: run.settings, secret, lines };
}

/** Every sum in a log, in real units. */
export async function releasedSums(
  charter: Charter,
  log: LogReader,
  knowledge: PublicKnowledge,
): Promise<Map<string, Float64Array>> {
  const all = new Map<string, Float64Array>();
  const follower = new Follower(charter, log, knowledge);
  for (let exchange = 0; ; exchange++) {
    const planned = await follower.at(exchange);
    if (planned === undefined) break;
    const entry = await log.peek(exchange);
    if (entry === undefined || 'over' in entry) throw new Error('The log ends too early.');
    const words = new WordSums(wordCount(planned.lines), charter.wordBytes);
    words.add(entry.sums);
    const values = words.values();
    let at = 0;
    for (const shape of planned.lines) {
      const { step } = fineGrid(lineOf(planned.plan, shape), shape.gridStep);
      const own = values.slice(at, at + shape.length);
      all.set(
        keyOf(shape.name, shape.occurrence, shape.part),
        own.map((value) => value * step),
      );
      at += shape.length;
    }
  }
  return all;
}

export const sameBytes = (a: Float64Array | undefined, b: Float64Array) =>
  a !== undefined && Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer)) === 0;

/** The requests, the released sums and the model of one curator, whose vectors are not all zero. */
export function expectSame(
  central: CentralRun,
  sums: ReadonlyMap<string, Float64Array>,
  model: ItemModel,
): void {
  expect([...sums.keys()], 'the same requests').toEqual(central.lines.map(({ key }) => key));
  expect(central.lines.filter(({ key, released }) => !sameBytes(sums.get(key), released))).toEqual([]);
  expect(model).toEqual(central.model);
  const { itemFactors } = central.model as { itemFactors: Float32Array };
  expect(itemFactors.some((value) => value !== 0)).toBe(true);
}

/** The curator's noise at aggregator 0, none at the others. */
export function noiseOf({ lines }: CentralRun): (aggregator: number) => NoiseSource {
  const byKey = new Map(lines.map((line) => [line.key, line.noise]));
  return (aggregator) =>
    aggregator === 0
      ? (_, { name, occurrence, part }) => byKey.get(keyOf(name, occurrence, part))
      : () => undefined;
}

/** Two tastes and two kinds of items: everybody likes what their kind likes, with a little noise. */
export function checkerboard(
  users: number,
  items: number,
  perUser: number,
  scale = { min: 1, max: 5, step: 1 },
): RatingMatrix {
  const random = new SeededRandom(users * 1000 + items);
  const offsets = new Uint32Array(users + 1);
  const indices: number[] = [];
  const values: number[] = [];
  for (let user = 0; user < users; user++) {
    const order = random.shuffle(Uint32Array.from({ length: items }, (_, item) => item));
    const own = Array.from(order.subarray(0, perUser)).sort((a, b) => a - b);
    for (const item of own) {
      indices.push(item);
      const liked = user % 2 === item % 2 ? 4.4 : 1.6;
      values.push(
        scale.max === scale.min ? 1 : Math.max(1, Math.min(5, Math.round(liked + random.normal() * 0.4))),
      );
    }
    offsets[user + 1] = indices.length;
  }
  return {
    userCount: users,
    itemCount: items,
    scale,
    byUser: {
      rowCount: users,
      columnCount: items,
      offsets,
      indices: Uint32Array.from(indices),
      values: Float32Array.from(values),
    },
  };
}

/** Some of the people, in the order given. */
export const only = (ratings: RatingMatrix, users: readonly number[]) => selectUsers(ratings, users);

/** The same people, who say which of two kinds they are; every fifth says nothing. */
function sayingTheirKind(ratings: RatingMatrix): RatingMatrix {
  const { userCount } = ratings;
  const saying = Array.from({ length: userCount }, (_, user) => user).filter((user) => user % 5 !== 0);
  return {
    ...ratings,
    about: {
      names: ['odd', 'even', 'not declared'],
      byUser: {
        rowCount: userCount,
        columnCount: 3,
        offsets: Uint32Array.from(
          { length: userCount + 1 },
          (_, user) => 2 * saying.filter((s) => s < user).length,
        ),
        indices: Uint32Array.from(saying.flatMap((user) => [user % 2 === 0 ? 1 : 0, 2])),
        values: new Float32Array(2 * saying.length).fill(1),
      },
    },
  };
}

const everyone = ({ userCount }: RatingMatrix) => Array.from({ length: userCount }, (_, user) => user);

/** The same people, dealt out in turn among so many participants; people keep their order within each. */
export function dealt(ratings: RatingMatrix, participants: number): RatingMatrix[] {
  return Array.from({ length: participants }, (_, participant) =>
    only(
      ratings,
      everyone(ratings).filter((user) => user % participants === participant),
    ),
  );
}

/** All but the first person. */
export const withoutFirst = (ratings: RatingMatrix) => only(ratings, everyone(ratings).slice(1));

/** The curator's coins for the people that `dealt` gives to a participant. */
export function coinsOf({ secret }: Pick<CentralRun, 'secret'>, ratings: RatingMatrix, participants: number) {
  return (participant: number) => {
    const ids = everyone(ratings).filter((user) => user % participants === participant);
    return peopleCoins(secret, ids.map(String));
  };
}

const explicit = checkerboard(36, 24, 12);
const implicit = checkerboard(36, 24, 8, { min: 1, max: 1, step: 1 });

/** A matrix of so many rows, with ones at two places of each that depend on the row. */
function twoEach(rows: number, columns: number, place: (row: number) => readonly [number, number]): Csr {
  const pairs = Array.from({ length: rows }, (_, row) => [...new Set(place(row))].sort((a, b) => a - b));
  const offsets = Uint32Array.from([0, ...pairs.map((_, row) => pairs.slice(0, row + 1).flat().length)]);
  const indices = Uint32Array.from(pairs.flat());
  return {
    rowCount: rows,
    columnCount: columns,
    offsets,
    indices,
    values: new Float32Array(indices.length).fill(1),
  };
}

/**
 * What everybody knows of the 24 items: their kinds, which are alike, and what some people rated in public.
 */
export const categorical: FeatureSource = {
  kind: 'categorical',
  name: 'kinds',
  fields: [
    {
      name: 'kind',
      tokens: ['even', 'odd', 'early', 'late'],
      byItem: twoEach(24, 4, (item) => [item % 2, item < 12 ? 2 : 3]),
    },
  ],
};
const similarity: FeatureSource = {
  kind: 'similarity',
  name: 'alike',
  byItem: twoEach(24, 24, (item) => [(item + 2) % 24, (item + 22) % 24]),
};
const publicRatings: FeatureSource = {
  kind: 'public-ratings',
  name: 'critics',
  byUser: twoEach(6, 24, (critic) => [critic, 23 - critic]),
  scale: explicit.scale,
};

/**
 * Every method whose sums can be made from shares, with ratings, settings and public facts to try it on.
 * Three have people's own coins: samples of their ratings, and Poisson batches. Without facts `am-ssp`,
 * `dp-cmf` and `am-dpsgd` are `dpals` or `dp-sgd`, so that they are tried with them, too.
 */
export const federatingMethods: readonly (readonly [
  string,
  RatingMatrix,
  SettingValues,
  readonly FeatureSource[],
])[] = [
  ['hush', explicit, {}, []],
  ['hush', implicit, {}, []],
  ['dpals', explicit, {}, []],
  ['dp-cmf', explicit, {}, []],
  ['am-ssp', explicit, {}, []],
  ['am-ssp', sayingTheirKind(explicit), { peopleFeatures: 'even:1,odd:0.5' }, []],
  ['am-dpsgd', explicit, {}, []],
  ['dp-sgd', explicit, {}, []],
  ['dp-fw', explicit, {}, []],
  ['dp-svd', explicit, {}, []],
  ['dpals', explicit, { contribution: 'uniform' }, []],
  ['am-dpsgd', explicit, { samplingRate: 0.5, rounds: 3 }, []],
  ['dp-sgd', explicit, { samplingRate: 0.5, rounds: 4 }, []],
  ['am-ssp', explicit, {}, [categorical]],
  ['am-ssp', explicit, { encoder: 'bag' }, [categorical]],
  ['dp-cmf', explicit, {}, [categorical, similarity, publicRatings]],
  ['am-dpsgd', explicit, {}, [categorical]],
  ['hush', explicit, {}, [categorical]],
];

/** Whether people toss coins of their own. */
export const hasCoins = (settings: SettingValues) =>
  settings['samplingRate'] !== undefined || settings['contribution'] !== undefined;

/**
 * A request for a charter of an open run whose roles are names alone: nobody signs it and nobody is asked.
 */
export function unsignedRequest(
  { itemCount, scale }: Pick<RatingMatrix, 'itemCount' | 'scale'>,
  asked: Pick<CharterRequest, 'method' | 'epsilon' | 'delta'>,
): CharterRequest {
  return {
    ...asked,
    acceptWeak: true,
    codeVersion: 'test',
    catalogue: { itemCount, scale, hash: '' },
    coordinator: { name: 'board', url: '', publicKey: '0', signature: '' },
    aggregators: ['1', '2'].map((publicKey) => ({ name: publicKey, url: '', publicKey, signature: '' })),
    noise: { by: 'aggregators', honestNeeded: 1 },
    mostPeople: 36,
    leastReports: 1,
    pace: { kind: 'reports', count: 3, longestSeconds: 1 },
    admission: { kind: 'open' },
  };
}
