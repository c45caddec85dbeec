/**
 * A bound that sensitivity rests on is missing or unusable. Bounds are settings; they are never read from
 * data.
 */
export class ContributionBoundError extends RangeError {
  override readonly name = 'ContributionBoundError';
  readonly kind = 'usage';
  readonly bound: string;
  readonly value: number;
  constructor(bound: string, value: number) {
    super(
      `The ${bound} is ${value}; expected a finite number > 0. Without it one person's influence is unbounded; ` +
        'choose it from public knowledge.',
    );
    this.bound = bound;
    this.value = value;
  }
}

export function requireBound(name: string, value: number): void {
  if (!(value > 0 && value < Infinity)) throw new ContributionBoundError(name, value);
}
