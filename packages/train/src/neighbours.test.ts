import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  executeRun,
  type Method,
  methods,
  type PlannedRun,
  planRun,
  type TrainedModel,
} from '@hushrec/factorize';
import type { CertificateStatement } from '@hushrec/model';
import { createEngine, type Engine } from '@hushrec/numerics';
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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certify } from './publish/certify.js';
import { writeModelFolder } from './publish/write-folder.js';
import { countingMethod } from './replay/leaky-method.test.data.js';
import { modelDifference } from './replay/same-model.js';

const { ratings: explicit } = generateCatalogue({ users: 60, items: 14, ratings: 420, seed: 3 });
const implicit = likedItems(explicit, 3.5);
const ids = Array.from({ length: 60 }, (_, user) => `person ${user}`);

let engine: Engine;
let folder: string;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'hushrec-neighbours-'));
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

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
function neighboursOf(
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

const planned = (method: Parameters<typeof planRun>[0]['method'], ratings: RatingMatrix, settings = {}) =>
  planRun({
    method,
    settings,
    itemCount: ratings.itemCount,
    scale: ratings.scale,
    epsilon: 3,
    delta: 1e-6,
    noise: { secret: new RunSecret({ seed: 9 }) },
  });

const inputOf = (ratings: RatingMatrix, names: readonly string[]) => ({
  ratings,
  features: [],
  engine,
  publicSeed: 4,
  coins: peopleCoins(new RunSecret({ seed: 9 }), names),
});

/** A run on data, with everything it asked for and was given. */
async function runOn(run: PlannedRun, ratings: RatingMatrix) {
  const log: (readonly [ReleaseRequest, ReleasedValue])[] = [];
  const recorder = observedRecorder(run.recorder, (request, value) => void log.push([request, value]));
  const trained = await executeRun(run, { ...inputOf(ratings, ids), recorder });
  return { log, trained, record: recorder.finish() };
}

/** The same on other data, answered from that log: what an adversary would see who gave both the same noise to carry. */
async function answered(
  run: PlannedRun,
  ratings: RatingMatrix,
  names: string[],
  log: Awaited<ReturnType<typeof runOn>>['log'],
) {
  const asked: string[] = [];
  const values = new Map(log.map(([request, value]) => [requestText(request), value]));
  const recorder = createAnsweringRecorder(run.plan, {
    async answer(request) {
      asked.push(requestText(request));
      const value = values.get(requestText(request));
      if (value === undefined) throw new Error(`Not asked for on the first data: ${requestText(request)}`);
      return structuredClone(value);
    },
  });
  return { trained: await executeRun(run, { ...inputOf(ratings, names), recorder }), asked };
}

const statementOf = (run: PlannedRun, { trained, record }: Awaited<ReturnType<typeof runOn>>) =>
  certify(record, {
    trained: { model: trained.model },
    method: run.method.id,
    account: 'a'.repeat(32),
    catalogue: 'declared',
    ledgerEntry: null,
    codeVersion: '0',
    tuning: '',
  });

async function folderBytes(
  name: string,
  run: PlannedRun,
  trained: TrainedModel,
  certificate: CertificateStatement,
) {
  const directory = join(folder, name);
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
  const files = (await readdir(directory)).sort();
  return Promise.all(
    files.map(async (file) => [file, (await readFile(join(directory, file))).toString('base64')]),
  );
}

const certified = methods.filter(({ protects }) => protects.length > 0);
const unitsOf = ({ settings, protects }: Method): readonly (readonly [string, string | undefined])[] => {
  const choice = settings['unit'];
  return protects.length > 1 && choice?.type === 'choice'
    ? choice.choices.map((unit) => [unit, unit])
    : [[protects[0].unit, undefined]];
};
const cases = certified.flatMap((method) =>
  method.feedback.flatMap((kind) =>
    unitsOf(method).map(([unit, choice]) => [method.id, kind, unit, choice] as const),
  ),
);

describe('neighbouring data, answered from the same releases', () => {
  it.each(cases)(
    '%s on %s data, unit %s: same requests, same folder to the byte',
    async (id, kind, _, choice) => {
      const ratings = kind === 'implicit' ? implicit : explicit;
      const method = methods.find((each) => each.id === id)!;
      const settings = {
        ...('feedback' in method.settings && { feedback: kind }),
        ...(choice !== undefined && { unit: choice }),
      };
      const run = planned(method, ratings, settings);
      const first = await runOn(run, ratings);
      expect(first.log.length).toBeGreaterThan(0);
      const statement = statementOf(run, first);
      const bytes = await folderBytes(`${id}-${kind}-${choice}`, run, first.trained, statement);
      for (const [at, [other, names]] of neighboursOf(ratings, run).entries()) {
        const again = await answered(run, other, names, first.log);
        expect(again.asked).toEqual(first.log.map(([request]) => requestText(request)));
        expect(modelDifference(first.trained, again.trained, ratings.itemCount)).toBeUndefined();
        const same = await folderBytes(`${id}-${kind}-${choice}-${at}`, run, again.trained, statement);
        expect(same).toEqual(bytes);
      }
    },
  );

  it('would notice a note with an exact count', async () => {
    const run = planned(countingMethod('exact count in a fact'), explicit, { rounds: 1 });
    const first = await runOn(run, explicit);
    const [other, names] = neighboursOf(explicit, run)[0];
    const again = await answered(run, other, names, first.log);
    expect(modelDifference(first.trained, again.trained, explicit.itemCount)).toMatch(/facts.*people/);
    const statement = statementOf(run, first);
    expect(await folderBytes('leaky', run, first.trained, statement)).not.toEqual(
      await folderBytes('leaky-again', run, again.trained, statement),
    );
  });
});
