import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFolder } from '@hushrec/model/folder';
import { disk, type FileSystem, importSource, openDataset } from '@hushrec/ratings';
import { type Fault, FaultyDisk, faults, PowerLoss } from '@hushrec/testing';
import { afterAll, expect, it } from 'vitest';
import { exampleFactors, exampleModel } from '../../model/src/example-model.test.data.js';
import { writeModelFolder } from './publish/write-folder.js';
import { secretFileOf, secretFor } from './secret-file.js';

const base = mkdtempSync(join(tmpdir(), 'hushrec-faults-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/**
 * A durable operation: what is there before, what it does, and what a reader then finds: one of the two,
 * whole, or neither.
 */
interface Operation {
  readonly name: string;
  prepare(root: string): Promise<unknown>;
  run(root: string, files: FileSystem): Promise<unknown>;
  /** Throws where a reader would accept something that is neither. */
  found(root: string): Promise<'before' | 'after' | 'nothing'>;
  /** Whether there was something to keep. */
  readonly replaces: boolean;
}

const oldRatings = 'user,item,rating\na,x,5\nb,y,4\n';
const newRatings = 'user,item,rating\na,x,1\nb,y,2\nc,z,3\n';
const imported = (root: string, text: string, files: FileSystem) => {
  writeFileSync(join(base, 'ratings.csv'), text);
  return importSource(join(base, 'ratings.csv'), join(root, 'set'), {
    scale: { min: 1, max: 5, step: 1 },
    reader: 'typescript',
    overwrite: true,
    files,
  });
};
const datasetFound = async (root: string) => {
  const set = await openDataset(join(root, 'set')).catch((error: Error & { kind?: string }) => {
    expect(error.kind).toBe('data');
    return undefined;
  });
  if (set === undefined) return 'nothing';
  expect([2, 3]).toContain(set.manifest.ratings);
  return set.manifest.ratings === 2 ? 'before' : 'after';
};

const newFactors = { ...exampleFactors, offset: 2 };
const published = (root: string, isNew: boolean, files: FileSystem) =>
  writeModelFolder(join(root, 'model'), exampleModel(isNew ? newFactors : exampleFactors), {
    overwrite: true,
    files,
  });
const modelFound = async (root: string) => {
  const opened = await readModelFolder(join(root, 'model')).catch((error: Error & { kind?: string }) => {
    expect(error.kind).toBe('data');
    // What was there is not lost, and it says where it is.
    if (error.message.includes('it was being replaced')) return 'aside' as const;
    return undefined;
  });
  if (opened === undefined) return 'nothing';
  if (opened === 'aside') return 'before';
  const { offset } = opened.model;
  expect([exampleFactors.offset, newFactors.offset]).toContain(offset);
  return offset === newFactors.offset ? 'after' : 'before';
};

const operations: readonly Operation[] = [
  {
    name: 'import',
    prepare: async () => {},
    run: (root, files) => imported(root, newRatings, files),
    found: datasetFound,
    replaces: false,
  },
  {
    name: 'import over a data set',
    prepare: (root) => imported(root, oldRatings, disk),
    run: (root, files) => imported(root, newRatings, files),
    found: datasetFound,
    replaces: true,
  },
  {
    name: 'publish',
    prepare: async () => {},
    run: (root, files) => published(root, true, files),
    found: modelFound,
    replaces: false,
  },
  {
    name: 'publish over a model',
    prepare: (root) => published(root, false, disk),
    run: (root, files) => published(root, true, files),
    found: modelFound,
    replaces: true,
  },
  {
    name: 'keep the secret of a run',
    prepare: async () => {},
    run: (root, files) => secretFor(join(root, 'model'), 'job', false, files),
    found: async (root) => {
      if (!existsSync(secretFileOf(join(root, 'model')))) return 'nothing';
      // Whole: a secret that is cut short is refused by name.
      expect((await secretFor(join(root, 'model'), 'job', true)).resumed).toBe(true);
      expect(readFileSync(secretFileOf(join(root, 'model')))).toHaveLength(64);
      return 'after';
    },
    replaces: false,
  },
];

/** Power loss leaves one of several states; so many of them are looked at for each point. */
const statesPerLoss = 4;

async function inject(operation: Operation, fault: Fault): Promise<number> {
  for (let at = 1; ; at++) {
    const root = join(base, 'root');
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    await operation.prepare(root);
    const files = new FaultyDisk(root, fault, at);
    try {
      const error: unknown = await operation.run(root, files).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (!files.hasFailed) {
        expect(await operation.found(root)).toBe('after');
        return at - 1;
      }
      const where = `${operation.name}, ${fault} at call ${at}`;
      if (fault !== 'power loss') {
        const found = await operation.found(root);
        if (operation.replaces) expect(found, where).not.toBe('nothing');
        if (found !== 'after') expect(error, where).toBeInstanceOf(Error);
      } else {
        expect(error, where).toSatisfy(
          (cause) => cause instanceof PowerLoss || cause === undefined || cause instanceof Error,
        );
        for (let seed = 1; seed <= statesPerLoss; seed++) {
          files.restoreAfterPowerLoss(seed);
          const found = await operation.found(root);
          if (operation.replaces) expect(found, `${where}, state ${seed}`).not.toBe('nothing');
        }
      }
      await operation.run(root, disk);
      expect(await operation.found(root), `${where}, then again`).toBe('after');
      if (fault !== 'power loss') expect(files.leftovers(), where).toEqual([]);
    } finally {
      files.forget();
    }
  }
}

it.each(operations)('$name: the old or the new state, whole, whatever call fails', async (operation) => {
  const points: string[] = [];
  // Where nothing is replaced, the four differ in what is left half-way alone.
  for (const fault of operation.replaces ? faults : (['torn write', 'power loss'] as const)) {
    const count = await inject(operation, fault);
    expect(count).toBeGreaterThan(4);
    points.push(`${count} × ${fault}`);
  }
  process.stdout.write(`${operation.name}: ${points.join(', ')} (${statesPerLoss} states each)\n`);
});
