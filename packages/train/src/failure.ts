/** Where in the call something failed. */
export type TrainingStep = 'plan' | 'rehearse' | 'charge' | 'train' | 'certify' | 'publish' | 'complete';

/** A training call that failed. `cause` is what went wrong; `paid` says whether the budget was charged. */
export class TrainingFailedError extends Error {
  override readonly name = 'TrainingFailedError';
  readonly step: TrainingStep;
  readonly paid: boolean;
  /** Whose turn it is, as the cause says. */
  readonly kind: 'usage' | 'data' | 'privacy' | undefined;
  constructor(step: TrainingStep, paid: boolean, secretFile: string | undefined, cause: Error) {
    super(
      secretFile === undefined
        ? cause.message
        : `${cause.message}\n${paid ? 'This run was paid for.' : 'The ledger did not say whether it charged this run.'} The same call with resume (--resume) repeats it, with the same noise and no second charge; its secret is ${secretFile}, as sensitive as the data.`,
      { cause },
    );
    this.step = step;
    this.paid = paid;
    this.kind = (cause as { kind?: TrainingFailedError['kind'] }).kind;
  }
}

/** A run that had stopped was finished, and is not the one that was asked to go on. Nothing was charged. */
export class OtherRunLeftError extends Error {
  override readonly name = 'OtherRunLeftError';
  readonly kind = 'usage';
  constructor(directory: string) {
    super(
      `The run that stopped at ${directory} is finished now, and its model is there. It is not the run that you asked for: settings, data or budget differ. Start that one without --resume, in another place or with --overwrite.`,
    );
  }
}

/** A figure stopped before it was printed, and another one is asked for. Nothing was charged. */
export class FigureLeftError extends Error {
  override readonly name = 'FigureLeftError';
  readonly kind = 'usage';
  constructor(secretFile: string) {
    super(
      `A figure of this model stopped before it was printed, unless it is being measured just now, and may be paid for. The command that began it, with --resume, finishes it without a second charge. To give it up, with what it may have cost, delete ${secretFile} (its secret, as sensitive as the data). Nothing was charged now.`,
    );
  }
}

/** There is no figure to go on with. Nothing was charged. */
export class NoFigureLeftError extends Error {
  override readonly name = 'NoFigureLeftError';
  readonly kind = 'usage';
  constructor(secretFile: string) {
    super(
      `No figure of this model is left unfinished: there is no ${secretFile}. One that stopped before its charge has cost nothing; one that was printed is over. Without --resume a new figure is measured and charged.`,
    );
  }
}

/**
 * Other data than was planned for: it was imported again between the plan and the reading. Nothing was
 * charged.
 */
export class DataChangedError extends Error {
  override readonly name = 'DataChangedError';
  readonly kind = 'data';
  constructor() {
    super(
      'The data was imported again while this run began, and is not what was planned for. Start it again.',
    );
  }
}
