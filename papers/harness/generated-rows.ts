import {
  implicitScale,
  type RatingMatrix,
  type RatingScale,
  ratingMatrixFromTriples,
} from '@hushrec/ratings';
import { nearestGrade } from './nearest-grade.js';

/** What every law of generated data is asked for. */
export interface GeneratedSize {
  readonly people: number;
  readonly items: number;
  /** Where the mean lies on the scale: 0 its lower end, 1 its upper one. */
  readonly mean: number;
  /** Absent: choices without ratings. */
  readonly scale?: RatingScale;
}

/** Ratings, or choices, of generated people, one after the other. */
export class GeneratedRows {
  readonly #size: GeneratedSize;
  readonly #users: number[] = [];
  readonly #items: number[] = [];
  readonly #values: number[] = [];

  constructor(size: GeneratedSize) {
    this.#size = size;
  }

  /** `high`: how far above the mean the person likes the item, in half-widths of the scale. */
  add(person: number, item: number, high: number): void {
    const { scale, mean } = this.#size;
    this.#users.push(person);
    this.#items.push(item);
    this.#values.push(scale === undefined ? 1 : nearestGrade(scale, mean + high / 2));
  }

  matrix(): RatingMatrix {
    return ratingMatrixFromTriples({
      userCount: this.#size.people,
      itemCount: this.#size.items,
      scale: this.#size.scale ?? implicitScale,
      users: this.#users,
      items: this.#items,
      ratings: this.#values,
    });
  }
}
