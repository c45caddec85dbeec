import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAnsweringRecorder,
  observedRecorder,
  type ReleasedValue,
  type ReleaseRecorder,
  requestText,
} from '@hushrec/privacy';
import { generateCatalogue } from '@hushrec/ratings';
import { vi } from 'vitest';
import {
  type ExactStatistics,
  noting,
  shiftsBeyond,
} from '../../../packages/train/src/exact-statistics.test.data.js';
import { inStepWith } from '../../../packages/train/src/neighbouring-runs.test.data.js';

/** A line of a ratings file. */
export type Row = readonly [person: string, item: string, rating: number];

const { ratings } = generateCatalogue({ users: 60, items: 14, ratings: 420, seed: 3 });
const { offsets, indices, values } = ratings.byUser;
export const everyone: readonly Row[] = Array.from({ length: ratings.userCount }, (_, user) =>
  Array.from(
    indices.subarray(offsets[user], offsets[user + 1]),
    (item, at): Row => [`person ${user}`, `item ${item}`, values[offsets[user] + at]],
  ),
).flat();
const counts = Array.from({ length: ratings.userCount }, (_, user) => offsets[user + 1] - offsets[user]);
const busiest = counts.indexOf(Math.max(...counts));
/** One that is in files of choices too (`csvOf`). */
const liked = everyone.findIndex(([, , rating], at) => at >= 100 && rating >= 3.5);
const catalogue = `item,title\n${Array.from({ length: ratings.itemCount }, (_, item) => `item ${item},Title ${item}`).join('\n')}\n`;

/** Two files that differ by what a unit protects. */
export const neighbours = {
  /** The first person of the file, so that everybody else moves up. */
  'the first person': everyone.filter(([person]) => person !== 'person 0'),
  'the last person': everyone.filter(([person]) => person !== 'person 59'),
  /** Whom also those protocols train on that leave people with few ratings out. */
  'a person with many ratings': everyone.filter(([person]) => person !== `person ${busiest}`),
  'one rating': everyone.filter((_, at) => at !== liked),
  'the value of one rating': everyone.map(
    (row, at): Row => (at === 100 ? [row[0], row[1], row[2] === 5 ? 1 : 5] : row),
  ),
};

/** One of the two: a folder with the files, a ledger of its own, and what is published. */
export interface Side {
  readonly folder: string;
  readonly file: string;
  readonly catalogue: string;
  readonly data: string;
  readonly model: string;
}

const clock = new Date('2026-01-01T00:00:00Z');

/**
 * What is the same on both sides besides the rows: releases, all that is drawn at random (secrets, ids of
 * accounts and ledger entries) and the time. So nothing has to be masked when two folders are compared. The
 * test that uses it puts `recorder` around every recorder of `@hushrec/privacy`, and `randomBytes` in the
 * place of that of `node:crypto`.
 */
export class SameReleases {
  #wrap = (recorder: ReleaseRecorder): ReleaseRecorder => recorder;
  #drawn = 0;
  /** Of the statistics that noise was added to, where they are further apart than the plan says. */
  shifts: ReturnType<typeof shiftsBeyond> | undefined;
  /** The recorder of a run, as the software gets it. */
  readonly recorder = (real: ReleaseRecorder): ReleaseRecorder => this.#wrap(real);
  /** Bytes that look random, from a number that counts up. */
  readonly randomBytes = (size: number): Buffer => {
    const bytes = Buffer.alloc(size);
    for (let at = 0; at < size; at += 32)
      createHash('sha256')
        .update(`${this.#drawn++}`)
        .digest()
        .copy(bytes, at);
    return bytes;
  };

  /**
   * Runs something that trains on each side, each run of the second answered from what the same run of the
   * first released: a refresh is a second run, which remembers the first.
   */
  async onBoth(
    rows: readonly (readonly Row[])[],
    train: (side: Side) => Promise<void>,
    columns: 'ratings' | 'choices' = 'ratings',
  ): Promise<Side[]> {
    const released: Map<string, ReleasedValue>[] = [];
    const noted: { recorder: ReleaseRecorder; exact: ExactStatistics }[][] = [];
    const sides: Side[] = [];
    for (const [at, each] of rows.entries()) {
      const folder = mkdtempSync(join(tmpdir(), 'hushrec-with-and-without-'));
      const side = {
        folder,
        file: join(folder, 'ratings.csv'),
        catalogue: join(folder, 'items.csv'),
        data: join(folder, 'data', 'shop'),
        model: join(folder, 'models', 'shop'),
      };
      sides.push(side);
      mkdirSync(join(folder, 'models'));
      mkdirSync(join(folder, 'data'));
      writeFileSync(side.file, csvOf(each, columns));
      writeFileSync(side.catalogue, catalogue);
      const runs: (typeof noted)[number] = [];
      noted.push(runs);
      const carried = (real: ReleaseRecorder, run: number): ReleaseRecorder => {
        if (at > 0) return inStepWith(real, answeringFrom(released[run] ?? new Map(), real));
        const values = new Map<string, ReleasedValue>();
        released.push(values);
        return observedRecorder(real, (request, value) => void values.set(requestText(request), value));
      };
      this.#wrap = (real) => {
        const exact: ExactStatistics = new Map();
        const recorder = carried(real, runs.length);
        runs.push({ recorder, exact });
        return noting(recorder, exact);
      };
      this.#drawn = 0;
      vi.useFakeTimers({ toFake: ['Date'], now: clock });
      const random = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
        const { buffer, byteOffset, byteLength } = array as Uint8Array;
        new Uint8Array(buffer, byteOffset, byteLength).set(this.randomBytes(byteLength));
        return array;
      });
      const state = process.env['XDG_STATE_HOME'];
      process.env['XDG_STATE_HOME'] = join(folder, 'state');
      try {
        await train(side);
      } finally {
        random.mockRestore();
        vi.useRealTimers();
        process.env['XDG_STATE_HOME'] = state;
        this.#wrap = (real) => real;
      }
    }
    const [one, other] = noted;
    const shifts = one.map(({ recorder, exact }, run) =>
      shiftsBeyond(recorder, exact, other[run]?.exact ?? new Map()),
    );
    this.shifts =
      shifts.length === 0
        ? undefined
        : {
            beyond: shifts.flatMap(({ beyond }) => beyond),
            moved: shifts.reduce((sum, { moved }) => sum + moved, 0),
          };
    return sides;
  }
}

function csvOf(rows: readonly Row[], columns: 'ratings' | 'choices'): string {
  const lines =
    columns === 'ratings'
      ? ['user,item,rating', ...rows.map((row) => row.join(','))]
      : [
          'user,item',
          ...rows.filter(([, , rating]) => rating >= 3.5).map((row) => row.slice(0, 2).join(',')),
        ];
  return `${lines.join('\n')}\n`;
}

function answeringFrom(released: ReadonlyMap<string, ReleasedValue>, { plan }: ReleaseRecorder) {
  return createAnsweringRecorder(plan, {
    async answer(request) {
      const value = released.get(requestText(request));
      if (value === undefined) throw new Error(`Not asked for on the other data: ${requestText(request)}`);
      return structuredClone(value);
    },
  });
}

/** Every file that was published, as text where it is text: a difference can be read. */
export function publishedBy({ model }: Side): Record<string, string> {
  return Object.fromEntries(
    readdirSync(model).map((file) => [
      file,
      readFileSync(join(model, file)).toString(/\.(json|md)$/.test(file) ? 'utf8' : 'base64'),
    ]),
  );
}

/** Files that look as old as each other. */
export function atOneTime({ model }: Side): void {
  for (const file of readdirSync(model)) utimesSync(join(model, file), clock, clock);
  utimesSync(model, clock, clock);
}

export function remove(sides: readonly Side[]): void {
  for (const { folder } of sides) rmSync(folder, { recursive: true, force: true });
}
