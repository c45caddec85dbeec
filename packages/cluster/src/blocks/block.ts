import { createHash } from 'node:crypto';
import type { Csr } from '@hushrec/numerics';
import type { RatingScale } from '@hushrec/ratings';
import { VarintReader, VarintWriter } from './varint.js';

/** About how many ratings are in a block: 0.5 MB, or a few hundred blocks for 10⁸ ratings. */
export const BLOCK_ENTRIES = 2 ** 18;

const FORMAT = 1;

/**
 * Bytes that are no block, or not the block that was expected. The message holds nothing of what is in it.
 */
export class BlockError extends Error {
  override readonly name = 'BlockError';
  readonly kind = 'data';
}

/** Whole people: their ids, which name their coins, and their rows. */
export interface PeopleBlock {
  readonly ids: readonly string[];
  readonly rows: Csr;
}

/**
 * How a rating is stored: not at all (all are the scale's only grade), as its grade in a byte, or as a
 * float32.
 */
type RatingForm = 0 | 1 | 2;

function ratingForm({ min, max, step }: RatingScale): RatingForm {
  if (min === max) return 0;
  return step > 0 && (max - min) / step <= 255 ? 1 : 2;
}

/** The grade of a rating as a number of steps above the least. */
function gradeOf(rating: number, { min, step }: RatingScale): number {
  return Math.round((rating - min) / step);
}

/** Whether a rating comes back as it is, as a float32. */
export function isStorable(rating: number, scale: RatingScale): boolean {
  const form = ratingForm(scale);
  if (form === 0) return Math.fround(rating) === Math.fround(scale.min);
  if (form === 2) return Number.isFinite(Math.fround(rating));
  const grade = gradeOf(rating, scale);
  return grade >= 0 && grade <= 255 && Math.fround(scale.min + grade * scale.step) === Math.fround(rating);
}

/** Writes people one after another, and gives blocks. */
export class BlockWriter {
  readonly #scale: RatingScale;
  readonly #itemCount: number;
  readonly #body = new VarintWriter();
  #people = 0;
  #entries = 0;

  constructor(scale: RatingScale, itemCount: number) {
    this.#scale = scale;
    this.#itemCount = itemCount;
  }

  get entries(): number {
    return this.#entries;
  }

  get people(): number {
    return this.#people;
  }

  /** @param items ascending, each once @param ratings that `isStorable` allows */
  add(id: string, items: ArrayLike<number>, ratings: ArrayLike<number>): void {
    const form = ratingForm(this.#scale);
    const body = this.#body;
    const name = Buffer.from(id, 'utf8');
    body.unsigned(name.length);
    body.bytes(name);
    body.unsigned(items.length);
    let before = -1;
    for (let at = 0; at < items.length; at++) {
      body.unsigned(items[at] - before - 1);
      before = items[at];
    }
    if (form === 1) body.bytes(Uint8Array.from(ratings, (rating) => gradeOf(rating, this.#scale)));
    if (form === 2) body.bytes(new Uint8Array(Float32Array.from(ratings).buffer));
    this.#people++;
    this.#entries += items.length;
  }

  /** The block of what was added since the last one. */
  take(): Buffer {
    const head = new VarintWriter();
    for (const number of [FORMAT, ratingForm(this.#scale), this.#itemCount, this.#people, this.#entries])
      head.unsigned(number);
    this.#people = 0;
    this.#entries = 0;
    return Buffer.concat([head.take(), this.#body.take()]);
  }
}

/**
 * The name of a block: SHA-256 of its bytes, 128 bits. Ids of people are in it, so no two blocks of a data
 * set are alike.
 */
export function blockName(block: Uint8Array): string {
  return createHash('sha256').update(block).digest('hex').slice(0, 32);
}

/**
 * People of several blocks as one matrix. O(entries).
 *
 * @throws BlockError where bytes are damaged, or made for another catalogue or scale
 */
export function joinBlocks(
  blocks: readonly Uint8Array[],
  scale: RatingScale,
  itemCount: number,
): PeopleBlock {
  const form = ratingForm(scale);
  const opened = blocks.map((block) => {
    const reader = new VarintReader(block);
    const [format, storedForm, storedItems, people, entries] = damagedUnless(() =>
      Array.from({ length: 5 }, () => reader.unsigned()),
    );
    if (format !== FORMAT || storedForm !== form || storedItems !== itemCount)
      throw new BlockError('A block of people was made for another catalogue, scale or version.');
    // A person takes two bytes at least, a rating one: no damaged number claims more memory than there are
    // bytes.
    if (2 * people + entries > block.length) throw new BlockError('A block of people is damaged.');
    return { reader, people, entries };
  });
  const rowCount = opened.reduce((sum, { people }) => sum + people, 0);
  const entryCount = opened.reduce((sum, { entries }) => sum + entries, 0);
  const ids: string[] = [];
  const offsets = new Uint32Array(rowCount + 1);
  const indices = new Uint32Array(entryCount);
  const values = new Float32Array(entryCount);
  const grades = Float32Array.from({ length: 256 }, (_, grade) => scale.min + grade * scale.step);
  let row = 0;
  let at = 0;
  damagedUnless(() => {
    for (const { reader, people, entries } of opened) {
      const end = at + entries;
      for (let person = 0; person < people; person++) {
        ids.push(Buffer.from(reader.bytes(reader.unsigned())).toString('utf8'));
        const length = reader.unsigned();
        if (at + length > end) throw new RangeError('more ratings than were announced');
        let item = -1;
        for (let k = 0; k < length; k++) {
          item += 1 + reader.unsigned();
          indices[at + k] = item;
        }
        if (item >= itemCount) throw new RangeError('an item that is not in the catalogue');
        if (form === 0) values.fill(scale.min, at, at + length);
        else if (form === 1) {
          const own = reader.bytes(length);
          for (let k = 0; k < length; k++) values[at + k] = grades[own[k]];
        } else values.set(new Float32Array(new Uint8Array(reader.bytes(4 * length)).buffer), at);
        at += length;
        offsets[++row] = at;
      }
      if (at !== end) throw new RangeError('fewer ratings than were announced');
      reader.end();
    }
  });
  return { ids, rows: { rowCount, columnCount: itemCount, offsets, indices, values } };
}

function damagedUnless<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError
      ? new BlockError('A block of people is damaged.', { cause: error })
      : error;
  }
}
