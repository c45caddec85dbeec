import type { FeatureSource } from '../rating-matrix.js';
import type { SaidOfScale } from '../rating-scale.js';
import type { EncodedRows } from '../sources/encoded-rows.js';
import type { EventChoice } from '../sources/event-filter.js';
import type { NamedColumns } from '../sources/named-columns.js';
import type { SourceFile } from '../sources/source-file.js';

/** What someone may say about how a source is to be read; the command line has options of these names. */
export type FormatOption = 'separator' | 'header' | 'columns' | 'scale' | 'events' | 'query';

/** What was said, and the rules that rows must keep. A format looks at the options that it takes. */
export interface FormatRequest extends SaidOfScale {
  readonly separator?: string;
  readonly header?: boolean;
  /** Names or positions (from 1) of user, item, rating and time; '-' where there is none. */
  readonly columns?: readonly string[];
  /** Rows of these events are kept, and no others. */
  readonly events?: EventChoice;
  /** For databases. */
  readonly query?: string;
  /** Bad rows that may be left out. */
  readonly skipBadRows: number;
  /**
   * The items there are, known apart from the ratings; a rating of any other is a bad row. Without it the
   * items are those that were rated, and the set of them must be public knowledge.
   */
  readonly catalogue?: ReadonlySet<string>;
  /**
   * `auto` reads Parquet with DuckDB where it can be loaded and the data is clean; reports say which reader
   * it was.
   */
  readonly reader: 'auto' | 'typescript';
  /** Takes unpacked and spilled data. */
  readonly workFolder: string;
  readonly signal?: AbortSignal | undefined;
}

/** The files that a source consists of. */
export interface SourceFiles {
  /** As the user named it, for messages. */
  readonly source: string;
  /** Those of a folder or an archive, or the one that was named. */
  readonly files: readonly SourceFile[];
  /** The same; of a single file all that lie beside it, itself among them. */
  readonly neighbours: readonly SourceFile[];
}

/** Public facts about items that lie beside ratings. */
export interface ItemFacts {
  /** By item id; '' where there is none. */
  titleOf(id: string): string;
  /** What methods may learn from, in the order of the items. */
  features(itemIds: readonly string[]): readonly FeatureSource[];
}

/** What a format read. */
export interface FormatRows {
  readonly rows: EncodedRows;
  /** For messages and provenance; without passwords and without folders. */
  readonly name: string;
  /** Absent: plain TypeScript. */
  readonly reader?: 'duckdb' | 'typescript';
  /** What was read from which column; absent where there are no columns. */
  readonly columns?: NamedColumns;
  /** Columns that nothing was read from; absent where there are none. */
  readonly unused?: readonly string[];
  /** Reads what is known of the items; absent where nothing can be. */
  readonly itemFacts?: () => Promise<ItemFacts>;
}

interface AnyFormat {
  /** What `--format` and reports call it. */
  readonly name: string;
  /** For the table in docs/data.md: one row for each kind of source. */
  readonly about: readonly {
    readonly source: string;
    readonly recognisedBy: string;
    readonly scale: string;
  }[];
  /**
   * The options that it looks at. Whoever gives another is told that it was not used; `scale` and `events`
   * change what rows mean and are refused.
   */
  readonly takes: readonly FormatOption[];
}

/** A way in which ratings lie in files. */
export interface FileFormat extends AnyFormat {
  readonly from: 'files';
  /**
   * A small whole file that is recognised: person 1 rated item 10 with 5 and item 20 with 3, person 2 rated
   * item 10 with 4 (or chose these, without ratings). What tests and the fuzzer begin with.
   */
  readonly example: { readonly name: string; readonly content: string | (() => Promise<Uint8Array>) };
  /** Names of files that are read where they lie beside a file with ratings; absent where there are none. */
  readonly companions?: RegExp;
  /** Whether these files are of this format. Formats are asked in the order of their list. */
  recognises(
    found: SourceFiles,
    said: Pick<FormatRequest, 'separator' | 'header' | 'columns'>,
  ): boolean | Promise<boolean>;
  /**
   * Reads and checks every row.
   *
   * @throws BadDataError for what cannot be used, with file and line; ImportOptionError where something must
   * be said first
   */
  read(found: SourceFiles, request: FormatRequest): Promise<FormatRows>;
}

/** A place that is asked for ratings, such as a database. */
export interface AddressFormat extends AnyFormat {
  readonly from: 'address';
  /** Told to whoever names the format and gives no such address. */
  readonly addressHint: string;
  recognises(address: string): boolean;
  read(address: string, request: FormatRequest): Promise<FormatRows>;
}

/** One way in which ratings come in. Each lives in one file and stands in one list. */
export type RatingFormat = FileFormat | AddressFormat;
