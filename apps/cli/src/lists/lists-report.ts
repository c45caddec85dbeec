import type { NamedColumns } from '@hushrec/ratings';

/** What was written, and what was of no use. */
export interface ListsReport {
  readonly out: string;
  readonly people: number;
  readonly rows: number;
  /** People with nothing in their history that the model knows; they get what is popular. */
  readonly withoutHistory: number;
  /** Items of the histories that the model does not know, the first few of them by name. */
  readonly unknown: { readonly items: number; readonly rows: number; readonly first: readonly string[] };
  readonly badRows: number;
  /** Which column of the histories was read as what; absent where they have no columns. */
  readonly columns?: NamedColumns;
}
