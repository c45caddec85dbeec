import type { VisitedRatings } from './stochastic-descent.js';

/** Survivors in arrays that double as they fill. */
export class SurvivorList {
  private users = new Uint32Array(1024);
  private items = new Uint32Array(1024);
  private values = new Float32Array(1024);
  private length = 0;

  append(user: number, row: { readonly columns: Uint32Array; readonly values: Float64Array }): void {
    const end = this.length + row.columns.length;
    if (end > this.users.length) this.grow(Math.max(end, 2 * this.users.length));
    this.users.fill(user, this.length, end);
    this.items.set(row.columns, this.length);
    this.values.set(row.values, this.length);
    this.length = end;
  }

  visited(): VisitedRatings {
    return {
      users: this.users.subarray(0, this.length),
      items: this.items.subarray(0, this.length),
      values: this.values.subarray(0, this.length),
    };
  }

  private grow(capacity: number): void {
    const { users, items, values } = this;
    this.users = new Uint32Array(capacity);
    this.items = new Uint32Array(capacity);
    this.values = new Float32Array(capacity);
    this.users.set(users);
    this.items.set(items);
    this.values.set(values);
  }
}
