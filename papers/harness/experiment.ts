import type { OutcomeStore } from '@hushrec/evaluate';
import type { Engine } from '@hushrec/numerics';
import type { ReportSection } from '@hushrec/report';

/** What an experiment may use. */
export interface ExperimentContext {
  /** Folder that holds real data sets (`ml-100k`, `ml-1m`, …); absent where none were given. */
  readonly data?: string;
  readonly engine: Engine;
  /** Fewer repetitions and points: for a first look, labelled as such in the result. */
  readonly quick: boolean;
  readonly seed: number;
  /**
   * Finished runs: an experiment that was killed goes on where it was, and experiments share what they have
   * in common.
   */
  readonly store: OutcomeStore;
  readonly progress: (stage: string, done: number, total: number) => void;
  /** Told of findings as they are made by experiments that take hours; all of them are in the result too. */
  readonly found?: (finding: Finding) => void;
  readonly signal: AbortSignal;
}

/** One figure of a published table beside ours. */
export interface Finding {
  readonly what: string;
  /** As published; absent where the paper shows a plot without numbers. */
  readonly published?: number;
  readonly measured: number;
  /** Standard error of what was measured; absent where nothing was run twice. */
  readonly error?: number;
  /** Half-width of agreement; absent where the finding is only reported. */
  readonly tolerance?: number;
  /** Two-sided t test of a difference: degrees of freedom, and the chance of one as large without any. */
  readonly test?: { readonly degrees: number; readonly p: number };
  /**
   * Whether what the paper says holds here; computed by the experiment, never assumed. A tie is a difference
   * that the t test does not tell from none at 5 %; null is reported only, as a single run is.
   */
  readonly holds: boolean | 'tie' | null;
  readonly note?: string;
}

export interface ExperimentResult {
  readonly findings: readonly Finding[];
  /** Which guarantee the paper claims and which is provable, in words. */
  readonly guarantee: string;
  /** For the HTML report. */
  readonly sections: readonly ReportSection[];
}

/** One published table or figure that can be run again: `hushrec reproduce <id>`. */
export interface Experiment {
  /** `friedman/table3`. */
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  /** Data sets it needs below the data folder; empty for generated data. */
  readonly needs: readonly string[];
  /** Roughly, on two cores. */
  readonly minutes: number;
  /** Processor minutes of `--quick`, roughly; a tenth of twice `minutes` unless given. */
  readonly quickMinutes?: number;
  run(context: ExperimentContext): Promise<ExperimentResult>;
}
