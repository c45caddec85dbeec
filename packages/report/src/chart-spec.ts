/**
 * Charts as plain data. The same specification is drawn as SVG text by the command line, inside a report and
 * in the page, and is what the CSV download lists.
 */
export type Chart = LineChart | BarChart | SpanChart;

/** One axis. Without `min` and `max` the axis spans the data, widened to round numbers. */
export interface Axis {
  /** What is measured, with its unit: "RMSE on held-out ratings (lower is better)". */
  readonly label: string;
  /**
   * `log` needs positive values; anything else on it is left out. `time` is in milliseconds since 1970 and
   * marked where months begin (UTC). Default `linear`.
   */
  readonly scale?: 'linear' | 'log' | 'time';
  readonly min?: number;
  readonly max?: number;
  /** Marked values; by default round numbers chosen to fit. */
  readonly ticks?: readonly number[];
  /** A second line under marked values: what they mean. Of a horizontal axis; on one of time with a line. */
  readonly notes?: readonly { readonly at: number; readonly text: string }[];
}

/**
 * A measured value and, where it was measured several times, its spread (a standard error or an
 * interval).
 */
export interface SpreadPoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

/** Quality against ε, cost against size: lines through points, with a band for the spread. */
export interface LineChart {
  readonly kind: 'line';
  readonly title: string;
  /** One sentence for people who cannot see the chart, and under it for those who can. */
  readonly description?: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly SpreadPoint[];
    /**
     * A formula instead of measurements: only these points have a marker and a whisker, with words beside
     * them.
     */
    readonly marks?: readonly { readonly x: number; readonly text: string }[];
    /** Drawn as what others are compared with. */
    readonly isReference?: boolean;
    /** A value holds until the next one. */
    readonly isStepped?: boolean;
  }[];
  /** Horizontal lines to compare with: the result without privacy, a published value, a limit. */
  readonly references?: readonly { readonly name: string; readonly y: number; readonly isLimit?: boolean }[];
  /**
   * The left part of the horizontal axis, up to a value, in which noise rules: dotted, with what it means in
   * a line or two.
   */
  readonly noisy?: { readonly to: number; readonly words: readonly string[] };
  /** Names at the ends of the lines where there is room, instead of a legend. */
  readonly namesAtEnds?: boolean;
}

/** Values by category, one bar per series: quality by popularity of the items. */
export interface BarChart {
  readonly kind: 'bars';
  readonly title: string;
  readonly description?: string;
  readonly y: Axis;
  /** What the categories are: "items by popularity". */
  readonly categoryLabel: string;
  readonly categories: readonly string[];
  readonly series: readonly {
    readonly name: string;
    /** Aligned with `categories`; null where nothing was measured. */
    readonly values: readonly (number | null)[];
    readonly low?: readonly (number | null)[];
    readonly high?: readonly (number | null)[];
    /** Its bars are dotted. */
    readonly isNoise?: boolean;
  }[];
  /** Words above the bars of each category. */
  readonly notes?: readonly string[];
}

/**
 * How far noise reaches on one axis, dotted, and what reaches beyond it, solid: a row for each kind of
 * released number. As high as its rows need.
 */
export interface SpanChart {
  readonly kind: 'spans';
  readonly title: string;
  readonly description?: string;
  readonly x: Axis;
  /** What the axis starts at, what is solid, and what the number at the end of a row is. */
  readonly words: { readonly start: string; readonly signal: string; readonly number: string };
  readonly rows: readonly { readonly name: string; readonly noise: number; readonly signal?: number }[];
}

/** Where and how large to draw. All lengths are in SVG user units. */
export interface DrawOptions {
  /** Prefix of the ids inside the SVG: unique on the page. */
  readonly id: string;
  readonly width?: number;
  readonly height?: number;
  /** The title is not drawn: it stands beside the chart. Tools that read it out find it all the same. */
  readonly untitled?: boolean;
  /** Embeds the style sheet, for an SVG file that stands alone. */
  readonly standalone?: boolean;
}
