import '@hushrec/papers/register';
import {
  executeRun,
  ItemNoise,
  type Method,
  methods,
  type PlannedRun,
  type Progress,
  planRun,
  type Remembering,
  withUserIds,
} from '@hushrec/factorize';
import type { CertificateStatement } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  createAnsweringRecorder,
  createRecorder,
  observedRecorder,
  peopleCoins,
  type ReleasedValue,
  type ReleaseRecorder,
  type ReleaseRequest,
  RunSecret,
  requestText,
  wrapRecorder,
} from '@hushrec/privacy';
import { generateCatalogue, likedItems, type RatingMatrix } from '@hushrec/ratings';
import { withoutRating, withRatingChanged } from '@hushrec/testing';
import { type ExactStatistics, noting } from './exact-statistics.test.data.js';
import { certificateOfRun } from './publish/certificate-of-run.js';
import { manifestOfRun } from './publish/manifest-of-run.js';
import { watchRelease } from './publish/watch-release.js';
import { writeModelFolder } from './publish/write-folder.js';

export const { ratings: explicit } = generateCatalogue({ users: 60, items: 14, ratings: 420, seed: 3 });
const implicit = likedItems(explicit, 3.5);
const ids = Array.from({ length: 60 }, (_, user) => `person ${user}`);

/** The data without everything of one person. */
function withoutPerson(ratings: RatingMatrix, person: number): RatingMatrix {
  const { byUser } = ratings;
  const [begin, end] = [byUser.offsets[person], byUser.offsets[person + 1]];
  const rest = <T extends Uint32Array | Float32Array>(array: T): T =>
    array.filter((_, at) => at < begin || at >= end) as T;
  const offsets = byUser.offsets
    .filter((_, at) => at !== person)
    .map((offset) => (offset >= end ? offset - (end - begin) : offset));
  return {
    ...ratings,
    userCount: ratings.userCount - 1,
    byUser: {
      ...byUser,
      rowCount: byUser.rowCount - 1,
      offsets,
      indices: rest(byUser.indices),
      values: rest(byUser.values),
    },
  };
}

/** Neighbours of a data set under the plan's unit, and the ids of their rows. */
export function neighboursOf(
  ratings: RatingMatrix,
  { plan }: PlannedRun,
): readonly (readonly [RatingMatrix, string[]])[] {
  switch (plan.unit) {
    case 'user':
      return [0, 31, 59].map((person) => [
        withoutPerson(ratings, person),
        ids.filter((_, at) => at !== person),
      ]);
    case 'rating-presence':
      return [100].map((at) => [withoutRating(ratings, at), ids]);
    case 'rating-value':
      return [100].map((at) => [
        withRatingChanged(ratings, at, ratings.byUser.values[at] === 5 ? 1 : 5),
        ids,
      ]);
    default:
      return plan.unit satisfies never;
  }
}

export const planned = (
  method: Parameters<typeof planRun>[0]['method'],
  ratings: RatingMatrix,
  settings = {},
) =>
  planRun({
    method,
    settings,
    itemCount: ratings.itemCount,
    scale: ratings.scale,
    epsilon: 3,
    delta: 1e-6,
    noise: { secret: new RunSecret({ seed: 9 }) },
  });

/** `said` gets what a log and the streams of a server tell while it trains. */
const inputOf = (engine: Engine, ratings: RatingMatrix, names: readonly string[], said: Progress[]) => ({
  ratings,
  features: [],
  engine,
  publicSeed: 4,
  coins: peopleCoins(new RunSecret({ seed: 9 }), names),
  progress: (progress: Progress) => void said.push({ ...progress }),
});

/** A run with everything it asked for, was given and said, and what is known of it when it is certified. */
async function observed(
  engine: Engine,
  run: PlannedRun,
  ratings: RatingMatrix,
  names: readonly string[],
  source: ReleaseRecorder,
  remember?: Remembering,
) {
  const log: (readonly [ReleaseRequest, ReleasedValue])[] = [];
  const said: Progress[] = [];
  const seen = new ItemNoise(ratings.itemCount);
  const exact: ExactStatistics = new Map();
  const recorder = observedRecorder(noting(source, exact), (request, value) => {
    log.push([request, value]);
    watchRelease(seen, source.plan, request, value);
  });
  const trained = await executeRun(run, {
    ...inputOf(engine, ratings, names, said),
    recorder,
    ...(remember && { remember }),
  });
  return { log, trained, said, seen, exact, record: recorder.finish(), ratings, names };
}

/** A run on data. */
export const runOn = (engine: Engine, run: PlannedRun, ratings: RatingMatrix, remember?: Remembering) =>
  observed(engine, run, ratings, ids, run.recorder, remember);

/**
 * The same on other data, answered from that log: what an adversary would see who gave both the same noise to
 * carry. A recorder as real as the first one's adds noise to what it is asked for and keeps the record; the
 * run gets the answer from the log instead.
 */
export function answered(
  engine: Engine,
  run: PlannedRun,
  ratings: RatingMatrix,
  names: string[],
  log: Awaited<ReturnType<typeof runOn>>['log'],
  remember?: Remembering,
) {
  const values = new Map(log.map(([request, value]) => [requestText(request), value]));
  const answering = createAnsweringRecorder(run.plan, {
    async answer(request) {
      const value = values.get(requestText(request));
      if (value === undefined) throw new Error(`Not asked for on the first data: ${requestText(request)}`);
      return structuredClone(value);
    },
  });
  const real = createRecorder(run.plan, { secret: new RunSecret({ seed: 9 }) });
  return observed(engine, run, ratings, names, inStepWith(real, answering), remember);
}

/** Releases by `real`, which keeps the record; what is returned comes from `answering`. */
export function inStepWith(real: ReleaseRecorder, answering: ReleaseRecorder): ReleaseRecorder {
  const both = wrapRecorder(real, (open, name) => {
    const other = answering.begin(name);
    const inStep = <Given extends unknown[], Value>(
      answer: (...given: Given) => Promise<Value>,
      release: (...given: Given) => Promise<Value>,
    ) =>
      async function releaseAndAnswer(...given: Given): Promise<Value> {
        const value = await answer(...given);
        await release(...given);
        return value;
      };
    return {
      add: inStep(other.add.bind(other), open.add.bind(open)),
      flip: inStep(other.flip.bind(other), open.flip.bind(open)),
      select: inStep(other.select.bind(other), open.select.bind(open)),
      thresholdedLaplace: inStep(other.thresholdedLaplace.bind(other), open.thresholdedLaplace.bind(open)),
      close() {
        other.close();
        return open.close();
      },
    };
  });
  return {
    ...both,
    get plan() {
      return real.plan;
    },
    stage(lines) {
      answering.stage(lines);
      real.stage(lines);
    },
  };
}

/**
 * The certificate of one such run, made from that run alone, as `trainAndPublish` makes it. A seed makes
 * noise repeatable here; what is looked at is what a run without one would publish.
 */
export const statementOf = (
  run: PlannedRun,
  { trained, ...observed }: Awaited<ReturnType<typeof runOn>>,
): CertificateStatement => ({
  ...certificateOfRun(
    { ...trained, ...observed },
    {
      method: run.method,
      given: run.settings,
      account: 'a'.repeat(32),
      catalogue: 'declared',
      ledgerEntry: null,
      codeVersion: '0',
    },
  ),
  simulation: false,
});

/** The folder that such a run publishes, with the manifest that `trainAndPublish` writes. */
export async function publish(
  directory: string,
  run: PlannedRun,
  { trained, record, ratings, names }: Awaited<ReturnType<typeof runOn>>,
  certificate: CertificateStatement,
) {
  const { itemCount, scale } = ratings;
  const at = { identity: 'kept', account: 'a'.repeat(32) };
  const opened = {
    ...at,
    ratings,
    personIds: names,
    features: [],
    items: { itemIds: Array.from({ length: itemCount }, (_, item) => `item ${item}`) },
  };
  const request = {
    source: {
      ...at,
      account: { id: at.account, name: 'shop' },
      itemCount,
      scale,
      catalogue: 'declared',
      features: [],
      open: async () => opened,
    },
    method: run.method.id,
    epsilon: 3,
    delta: 1e-6,
    out: directory,
    ledger: async () => undefined,
    codeVersion: '0',
    show: ({ hash }: { readonly hash: string }) => hash,
  } as const;
  const conditions = { ...run, publicSeed: 4, kernel: 'simd' };
  await writeModelFolder(directory, {
    manifest: manifestOfRun(request, opened, { ...trained, record }, conditions),
    model: withUserIds(trained.model, names),
    certificate,
  });
}

const certified = methods.filter(({ protects }) => protects.length > 0);
const unitsOf = ({ settings, protects }: Method): readonly (readonly [string, string | undefined])[] => {
  const choice = settings['unit'];
  return protects.length > 1 && choice?.type === 'choice'
    ? choice.choices.map((unit) => [unit, unit])
    : [[protects[0].unit, undefined]];
};
/** Every certified method on every kind of feedback it takes, for each unit it protects. */
export const cases = certified.flatMap((method) =>
  method.feedback.flatMap((kind) =>
    unitsOf(method).map(([unit, choice]) => [method.id, kind, unit, choice] as const),
  ),
);

/** The run of a case, planned, and the data it is for. */
export function runOfCase([id, kind, , choice]: (typeof cases)[number]): {
  readonly run: PlannedRun;
  readonly ratings: RatingMatrix;
} {
  const ratings = kind === 'implicit' ? implicit : explicit;
  const method = methods.find((each) => each.id === id)!;
  const settings = {
    ...('feedback' in method.settings && { feedback: kind }),
    ...(choice !== undefined && { unit: choice }),
  };
  return { run: planned(method, ratings, settings), ratings };
}
