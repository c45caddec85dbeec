import {
  executeRun,
  type Method,
  methods,
  type PlannedRun,
  type Progress,
  planRun,
  type TrainedModel,
} from '@hushrec/factorize';
import type { CertificateStatement } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import {
  createAnsweringRecorder,
  observedRecorder,
  peopleCoins,
  type ReleasedValue,
  type ReleaseRequest,
  RunSecret,
  requestText,
} from '@hushrec/privacy';
import { generateCatalogue, likedItems, type RatingMatrix } from '@hushrec/ratings';
import { withoutRating, withRatingChanged } from '@hushrec/testing';
import { certify } from './publish/certify.js';
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

/** A run on data, with everything it asked for, was given and said. */
export async function runOn(engine: Engine, run: PlannedRun, ratings: RatingMatrix) {
  const log: (readonly [ReleaseRequest, ReleasedValue])[] = [];
  const said: Progress[] = [];
  const recorder = observedRecorder(run.recorder, (request, value) => void log.push([request, value]));
  const trained = await executeRun(run, { ...inputOf(engine, ratings, ids, said), recorder });
  return { log, trained, said, record: recorder.finish() };
}

/**
 * The same on other data, answered from that log: what an adversary would see who gave both the same noise to
 * carry.
 */
export async function answered(
  engine: Engine,
  run: PlannedRun,
  ratings: RatingMatrix,
  names: string[],
  log: Awaited<ReturnType<typeof runOn>>['log'],
) {
  const asked: string[] = [];
  const said: Progress[] = [];
  const values = new Map(log.map(([request, value]) => [requestText(request), value]));
  const recorder = createAnsweringRecorder(run.plan, {
    async answer(request) {
      asked.push(requestText(request));
      const value = values.get(requestText(request));
      if (value === undefined) throw new Error(`Not asked for on the first data: ${requestText(request)}`);
      return structuredClone(value);
    },
  });
  return {
    trained: await executeRun(run, { ...inputOf(engine, ratings, names, said), recorder }),
    asked,
    said,
  };
}

export const statementOf = (run: PlannedRun, { trained, record }: Awaited<ReturnType<typeof runOn>>) =>
  certify(record, {
    trained: { model: trained.model },
    method: run.method.id,
    account: 'a'.repeat(32),
    catalogue: 'declared',
    ledgerEntry: null,
    codeVersion: '0',
    tuning: '',
  });

/** The folder that such a run publishes. */
export async function publish(
  directory: string,
  run: PlannedRun,
  trained: TrainedModel,
  certificate: CertificateStatement,
) {
  await writeModelFolder(directory, {
    manifest: {
      format: 'hushrec-model-2',
      method: run.method.id,
      settings: run.settings,
      ...(trained.model.feedback === 'explicit' && { scale: explicit.scale }),
      itemIds: Array.from({ length: explicit.itemCount }, (_, item) => `item ${item}`),
      versions: { hushrec: '0' },
      ...(trained.facts && { facts: trained.facts }),
    },
    model: trained.model,
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
