/** A release that the plan does not contain, or not in this form. Nothing was released. */
export class ReleaseRefusedError extends Error {
  override readonly name = 'ReleaseRefusedError';
  readonly kind = 'privacy';
  readonly release: string;
  readonly reason:
    | 'not-planned'
    | 'too-many'
    | 'closed'
    | 'part-used-twice'
    | 'wrong-norm'
    | 'sensitivity-too-large'
    | 'not-on-grid'
    | 'wrong-mechanism'
    | 'bad-layout'
    | 'bad-grid';
  constructor(release: string, reason: ReleaseRefusedError['reason'], message: string) {
    super(`Release "${release}": ${message}`);
    this.release = release;
    this.reason = reason;
  }
}

/** The record of a finished run differs from its plan, so the calibrated guarantee is not that of the run. */
export class PlanMismatchError extends Error {
  override readonly name = 'PlanMismatchError';
  readonly kind = 'privacy';
  readonly release: string;
  readonly planned: number;
  readonly recorded: number;
  constructor(release: string, planned: number, recorded: number, detail: string) {
    super(
      `The run differs from its plan: "${release}" was planned ${planned} times and made ${recorded} times. ${detail}`,
    );
    this.release = release;
    this.planned = planned;
    this.recorded = recorded;
  }
}
