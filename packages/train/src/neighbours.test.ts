import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, type Engine } from '@hushrec/numerics';
import { requestText } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shiftsBeyond } from './exact-statistics.test.data.js';
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

// ε is a function of the record alone, and takes seconds for many Laplace lines: records that are equal to
// the last digit share it.
vi.mock('@hushrec/privacy', async (load) => {
  const privacy = await load<typeof import('@hushrec/privacy')>();
  const known = new Map<string, ReturnType<typeof privacy.tightestEpsilon>>();
  return {
    ...privacy,
    tightestEpsilon(...asked: Parameters<typeof privacy.tightestEpsilon>) {
      const key = JSON.stringify(asked);
      if (!known.has(key)) known.set(key, privacy.tightestEpsilon(...asked));
      return known.get(key);
    },
  };
});

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

const isText = (file: string) => /\.(json|md)$/.test(file);

/** The files of a folder, as text where they are text: a difference can be read. */
async function folderBytes(
  name: string,
  ...what: Parameters<typeof publish> extends [unknown, ...infer Rest] ? Rest : never
) {
  const directory = join(folder, name);
  await publish(directory, ...what);
  const files = (await readdir(directory)).sort();
  return Promise.all(
    files.map(async (file) => [
      file,
      (await readFile(join(directory, file))).toString(isText(file) ? 'utf8' : 'base64'),
    ]),
  );
}

/** What a run asked of its recorder. */
const asked = ({ log }: Awaited<ReturnType<typeof runOn>>) => log.map(([request]) => requestText(request));

describe('neighbouring data, answered from the same releases', () => {
  it.each(cases)(
    '%s on %s data, unit %s: same requests, same words in the log, same folder to the byte, statistics within their bounds',
    async (...each) => {
      const { run, ratings } = runOfCase(each);
      const name = each.join('-');
      const first = await runOn(engine, run, ratings);
      expect(first.log.length).toBeGreaterThan(0);
      const bytes = await folderBytes(name, run, first, statementOf(run, first));
      for (const [at, [other, names]] of neighboursOf(ratings, run).entries()) {
        const again = await answered(engine, run, other, names, first.log);
        expect(asked(again)).toEqual(asked(first));
        expect(again.said).toEqual(first.said);
        const { beyond, moved } = shiftsBeyond(first.record, first.exact, again.exact);
        expect(beyond).toEqual([]);
        expect(moved).toBeGreaterThan(0);
        expect(modelDifference(first.trained, again.trained, ratings.itemCount)).toBeUndefined();
        const same = await folderBytes(`${name}-${at}`, run, again, statementOf(run, again));
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
    const [one, two] = [
      await folderBytes('leaky', run, first, statementOf(run, first)),
      await folderBytes('leaky-again', run, again, statementOf(run, again)),
    ];
    const differing = one.filter(([, bytes], at) => bytes !== two[at][1]).map(([file]) => file);
    expect(differing).toEqual(['certificate.json', 'model.json']);
  });
});
