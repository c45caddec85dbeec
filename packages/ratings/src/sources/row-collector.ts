import type { RatingScale } from '../rating-matrix.js';
import { isOnScale } from '../rating-scale.js';
import { AsciiIndex } from './ascii-index.js';
import { BadRowList } from './bad-row-list.js';
import type { EncodedRows } from './encoded-rows.js';
import type { EventFilter } from './event-filter.js';
import {
  idProblem,
  parseDecimal,
  parseTime,
  parseVote,
  ratingProblem,
  ratingTextProblem,
  timeTextProblem,
} from './row-rules.js';

/** Rows that there is room for at first; most files of a test and all of a person's own are smaller. */
const firstRows = 1 << 10;

/**
 * Checks rows one by one and encodes their ids, for every reader in TypeScript. 24 bytes a row besides the
 * ids, amortised O(1) each.
 */
export class RowCollector {
  readonly bad = new BadRowList();
  /** Where given, readers ask it first whether a row is kept. */
  readonly events: EventFilter | undefined;
  readonly #scale: RatingScale;
  readonly #hasTimes: boolean;
  readonly #catalogue: ReadonlySet<string> | undefined;
  readonly #userCodes = new Map<string, number>();
  readonly #itemCodes = new Map<string, number>();
  readonly #userIndex = new AsciiIndex();
  readonly #itemIndex = new AsciiIndex();
  /** Ratings are few different texts, so each is parsed and checked once. */
  readonly #knownRatings = new Map<string, number | string>();
  #users = new Uint32Array(firstRows);
  #items = new Uint32Array(firstRows);
  #ratings = new Float32Array(firstRows);
  #times: Float64Array;
  #count = 0;

  /** `catalogue`, where given, lists the only items that may occur. */
  constructor(scale: RatingScale, hasTimes: boolean, catalogue?: ReadonlySet<string>, events?: EventFilter) {
    this.#scale = scale;
    this.events = events;
    this.#catalogue = catalogue;
    this.#hasTimes = hasTimes;
    this.#times = new Float64Array(hasTimes ? firstRows : 0);
  }

  /** `rating` undefined: implicit feedback. `time` is ignored unless the collector has times. */
  addText(
    line: number,
    user: string,
    item: string,
    rating: string | undefined,
    time: string | undefined,
  ): void {
    const value = rating === undefined ? 1 : this.#ratingOf(rating);
    if (typeof value === 'string') this.bad.add(line, value);
    else {
      const seconds = this.#hasTimes && time !== undefined ? parseTime(time) : Number.NaN;
      this.add(line, user, item, value, seconds, time);
    }
  }

  /** `time` in seconds since 1970; NaN is a bad row if the collector has times, for which `text` stood. */
  add(line: number, user: string, item: string, rating: number, time: number, text?: string): void {
    const problem =
      idProblem(user, 'user') ??
      idProblem(item, 'item') ??
      (this.#catalogue?.has(item) === false ? 'the item is not in the catalogue' : undefined) ??
      ratingProblem(rating, this.#scale) ??
      (this.#hasTimes && Number.isNaN(time) ? timeTextProblem(text) : undefined);
    if (problem !== undefined) {
      this.bad.add(line, problem);
      return;
    }
    this.#push(
      codeOf(this.#userCodes, this.#userIndex, user),
      codeOf(this.#itemCodes, this.#itemIndex, item),
      rating,
      time,
    );
  }

  /**
   * The same for a row whose ids stand in block[userFrom … userTo) and block[itemFrom … itemTo), if both have
   * been met before and nothing is wrong with the rest; false, and nothing done, otherwise.
   */
  addKnown(
    block: Uint8Array,
    userFrom: number,
    userTo: number,
    itemFrom: number,
    itemTo: number,
    rating: number,
    time: number,
  ): boolean {
    if (!isOnScale(rating, this.#scale) || (this.#hasTimes && Number.isNaN(time))) return false;
    const user = this.#userIndex.find(block, userFrom, userTo);
    const item = user < 0 ? -1 : this.#itemIndex.find(block, itemFrom, itemTo);
    if (item < 0) return false;
    this.#push(user, item, rating, time);
    return true;
  }

  #push(user: number, item: number, rating: number, time: number): void {
    if (this.#count === this.#users.length) this.#grow();
    this.#users[this.#count] = user;
    this.#items[this.#count] = item;
    this.#ratings[this.#count] = rating;
    if (this.#hasTimes) this.#times[this.#count] = time;
    this.#count++;
  }

  /** Rows that were taken. */
  get count(): number {
    return this.#count;
  }

  finish(): EncodedRows {
    return {
      scale: this.#scale,
      userIds: [...this.#userCodes.keys()],
      itemIds: [...this.#itemCodes.keys()],
      users: this.#users.subarray(0, this.#count),
      items: this.#items.subarray(0, this.#count),
      ratings: this.#ratings.subarray(0, this.#count),
      ...(this.#hasTimes && { times: this.#times.subarray(0, this.#count) }),
      badRows: this.bad.count,
      ...(this.events && { events: this.events.finish() }),
    };
  }

  /** The rating, or why the text is none. */
  #ratingOf(text: string): number | string {
    const known = this.#knownRatings.get(text);
    if (known !== undefined) return known;
    const number = parseDecimal(text);
    const rating = Number.isNaN(number) ? parseVote(text, this.#scale) : number;
    const result = Number.isNaN(rating)
      ? ratingTextProblem(text)
      : (ratingProblem(rating, this.#scale) ?? rating);
    if (this.#knownRatings.size < 1000) this.#knownRatings.set(text, result);
    return result;
  }

  #grow(): void {
    const size = this.#users.length * 2;
    const users = new Uint32Array(size);
    users.set(this.#users);
    const items = new Uint32Array(size);
    items.set(this.#items);
    const ratings = new Float32Array(size);
    ratings.set(this.#ratings);
    this.#users = users;
    this.#items = items;
    this.#ratings = ratings;
    if (!this.#hasTimes) return;
    const times = new Float64Array(size);
    times.set(this.#times);
    this.#times = times;
  }
}

function codeOf(codes: Map<string, number>, index: AsciiIndex, id: string): number {
  let code = codes.get(id);
  if (code === undefined) {
    // A slice of a line keeps the whole block of text alive; a fresh copy keeps only the id.
    code = codes.size;
    codes.set(Buffer.from(id).toString(), code);
    index.add(id, code);
  }
  return code;
}
