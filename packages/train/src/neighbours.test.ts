import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '@hushrec/numerics';
import { requestText } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answered,
  cases,
  explicit,
  neighboursOf,
  planned,
  publish,
  runOfCase,
  runOn,
  statementOf,
} from './neighbouring-runs.test.data.js';
import { countingMethod } from './replay/leaky-method.test.data.js';
import { modelDifference } from './replay/same-model.js';

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

async function folderBytes(
  name: string,
  ...what: Parameters<typeof publish> extends [unknown, ...infer Rest] ? Rest : never
) {
  const directory = join(folder, name);
  await publish(directory, ...what);
  const files = (await readdir(directory)).sort();
  return Promise.all(
    files.map(async (file) => [file, (await readFile(join(directory, file))).toString('base64')]),
  );
}

describe('neighbouring data, answered from the same releases', () => {
  it.each(cases)(
    '%s on %s data, unit %s: same requests, same words in the log, same folder to the byte',
    async (...each) => {
      const { run, ratings } = runOfCase(each);
      const name = each.join('-');
      const first = await runOn(engine, run, ratings);
      expect(first.log.length).toBeGreaterThan(0);
      const statement = statementOf(run, first);
      const bytes = await folderBytes(name, run, first.trained, statement);
      for (const [at, [other, names]] of neighboursOf(ratings, run).entries()) {
        const again = await answered(engine, run, other, names, first.log);
        expect(again.asked).toEqual(first.log.map(([request]) => requestText(request)));
        expect(again.said).toEqual(first.said);
        expect(modelDifference(first.trained, again.trained, ratings.itemCount)).toBeUndefined();
        const same = await folderBytes(`${name}-${at}`, run, again.trained, statement);
        expect(same).toEqual(bytes);
      }
    },
  );

  it('would notice a note with an exact count', async () => {
    const run = planned(countingMethod('exact count in a fact'), explicit, { rounds: 1 });
    const first = await runOn(engine, run, explicit);
    const [other, names] = neighboursOf(explicit, run)[0];
    const again = await answered(engine, run, other, names, first.log);
    expect(modelDifference(first.trained, again.trained, explicit.itemCount)).toMatch(/facts.*people/);
    const statement = statementOf(run, first);
    expect(await folderBytes('leaky', run, first.trained, statement)).not.toEqual(
      await folderBytes('leaky-again', run, again.trained, statement),
    );
  });
});
